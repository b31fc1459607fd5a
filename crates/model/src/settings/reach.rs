//! Settings by which a server or a store would run code, or use files, that Syncline did not put there.

/// What a setting reaches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reach {
    /// Libraries and commands: the author of the setting runs code as the server's user.
    Code,
    /// Files and directories beside those of the database.
    Files,
}

impl Reach {
    /// What a setting does, as a clause whose subject it is.
    pub const fn words(self) -> &'static str {
        match self {
            Self::Code => "loads or runs code",
            Self::Files => "names files",
        }
    }
}

/// Names, or with a star their beginnings or ends, over all databases: no two mean different things by one name.
///
/// PostgreSQL 13 to 18: the manual, "Server Configuration" (File Locations, Shared Library Preloading, Write Ahead Log,
/// SSL) and the settings of the procedural languages. RocksDB: `include/rocksdb/options.h`. SQLite: the pragmas of its
/// manual. MariaDB and MySQL: the server's options; the workload `requests` takes only those that it lists.
const REACHES: &[(&str, Reach)] = &[
    ("*_preload_libraries", Reach::Code),
    ("archive_cleanup_command", Reach::Code),
    ("archive_command", Reach::Code),
    ("archive_library", Reach::Code),
    ("dynamic_library_path", Reach::Code),
    ("env", Reach::Code),
    ("extension_control_path", Reach::Code),
    ("init_connect", Reach::Code),
    ("init_file", Reach::Code),
    ("jit_provider", Reach::Code),
    ("oauth_validator_libraries", Reach::Code),
    ("plperl.*", Reach::Code),
    ("pltcl.*", Reach::Code),
    ("pltclu.*", Reach::Code),
    ("plugin_dir", Reach::Code),
    ("plugin_load*", Reach::Code),
    ("recovery_end_command", Reach::Code),
    ("restore_command", Reach::Code),
    ("ssl_passphrase_command", Reach::Code),
    ("cf_paths", Reach::Files),
    ("config_file", Reach::Files),
    ("data_directory", Reach::Files),
    ("datadir", Reach::Files),
    ("data_store_directory", Reach::Files),
    ("db_log_dir", Reach::Files),
    ("db_paths", Reach::Files),
    ("external_pid_file", Reach::Files),
    ("hba_file", Reach::Files),
    ("ident_file", Reach::Files),
    ("include*", Reach::Files),
    ("krb_server_keyfile", Reach::Files),
    ("log_directory", Reach::Files),
    ("log_filename", Reach::Files),
    ("persistent_cache", Reach::Files),
    ("promote_trigger_file", Reach::Files),
    ("ssl_ca_file", Reach::Files),
    ("ssl_cert_file", Reach::Files),
    ("ssl_crl_dir", Reach::Files),
    ("ssl_crl_file", Reach::Files),
    ("ssl_dh_params_file", Reach::Files),
    ("ssl_key_file", Reach::Files),
    ("stats_temp_directory", Reach::Files),
    ("temp_store_directory", Reach::Files),
    ("unix_socket_directories", Reach::Files),
    ("wal_dir", Reach::Files),
];

/// What a setting of this name reaches; `None` if nothing.
pub fn reach(name: &str) -> Option<Reach> {
    let is_one = |known: &str| match (known.strip_prefix('*'), known.strip_suffix('*')) {
        (Some(end), _) => name.ends_with(end),
        (None, Some(beginning)) => name.starts_with(beginning),
        (None, None) => name == known,
    };
    REACHES.iter().find(|(known, _)| is_one(known)).map(|(_, reach)| *reach)
}
