//! S3: the overhead of Syncline's readers over the client.

use super::gateway::{BUCKET, Gateway};
use super::{MIB, median, parameters, pass, reading};
use dataset::bucket::{Access, Bucket, RetryPolicy};
use dataset::{Buffers, Dataset, Object};
use object_store::aws::AmazonS3Builder;
use object_store::path::Path;
use object_store::{ClientOptions, ObjectStoreExt};
use std::error::Error;
use std::time::Instant;
use workload::scan::ObjectScan;

const ROUNDS: usize = 8;
const OBJECTS: u64 = 64;
const OBJECT_BYTES: u64 = 4 * MIB;

/// Ranged gets of 1 MiB, one at a time, by Syncline's readers and by a bare loop.
pub(super) fn against_the_client() -> Result<(), Box<dyn Error>> {
    let Some(gateway) = Gateway::start() else { return Ok(()) };
    let access = Access::from_settings(Gateway::environment(gateway.address()));
    let bucket = Bucket::connect_with(BUCKET, "", access, RetryPolicy::default())?.own("bench");
    let objects: Vec<Object> = (0..OBJECTS)
        .map(|index| Object { name: format!("object-{index:03}"), bytes: OBJECT_BYTES })
        .collect();
    for (seed, object) in objects.iter().enumerate() {
        bucket.write(object, seed as u64)?;
    }
    let p = parameters(&[("target", "s3://data/x"), ("block_size", "1MiB")])?;
    let readers = bucket.readers(&objects, reading(&p, OBJECT_BYTES, Buffers::Malloc))?;
    let (mut ours, mut ratios) = (Vec::new(), Vec::new());
    let bare = Bare::new(&gateway)?;
    for round in 0..ROUNDS {
        let (rate, alone) = if round % 2 == 0 {
            let rate = pass::<ObjectScan, Bucket>(&readers, &objects, &p)?;
            (rate, bare.read(&objects)?)
        } else {
            let alone = bare.read(&objects)?;
            (pass::<ObjectScan, Bucket>(&readers, &objects, &p)?, alone)
        };
        ours.push(rate / MIB as f64);
        ratios.push(rate / alone);
    }
    println!(
        "S3, ranges of 1 MiB   {:8.0} MiB/s   {:.3} × object_store alone   (target 0.95)",
        median(ours),
        median(ratios)
    );
    bucket.remove_written()?;
    Ok(())
}

/// The client and nothing else.
struct Bare {
    runtime: tokio::runtime::Runtime,
    store: object_store::aws::AmazonS3,
}

impl Bare {
    fn new(gateway: &Gateway) -> Result<Self, Box<dyn Error>> {
        let [(_, endpoint), (_, key), (_, secret), (_, region)] = Gateway::environment(gateway.address());
        let store = AmazonS3Builder::new()
            .with_client_options(ClientOptions::new().with_allow_http(true))
            .with_endpoint(endpoint)
            .with_access_key_id(key)
            .with_secret_access_key(secret)
            .with_region(region)
            .with_bucket_name(BUCKET)
            .build()?;
        Ok(Self { runtime: tokio::runtime::Builder::new_current_thread().enable_all().build()?, store })
    }

    fn read(&self, objects: &[Object]) -> Result<f64, Box<dyn Error>> {
        let started = Instant::now();
        let bytes = self.runtime.block_on(async {
            let mut bytes = 0;
            for object in objects {
                let key = Path::from(format!("syncline-bench/{}", object.name));
                for offset in (0..object.bytes).step_by(MIB as usize) {
                    bytes += self.store.get_range(&key, offset..offset + MIB).await?.len();
                }
            }
            Ok::<usize, object_store::Error>(bytes)
        })?;
        Ok(bytes as f64 / started.elapsed().as_secs_f64())
    }
}
