//! Runs a program on a kernel that seems to have no `io_uring`: a seccomp filter answers ENOSYS to `io_uring_setup`.
//! For tests of what a program does then: `without_io_uring PROGRAM ARGUMENTS…`.

use std::io;
use std::os::unix::process::CommandExt;
use std::process::Command;

/// `BPF_LD | BPF_W | BPF_ABS`, `BPF_JMP | BPF_JEQ | BPF_K`, `BPF_RET | BPF_K` (linux/filter.h).
const LOAD: u16 = 0x20;
const JUMP_IF_EQUAL: u16 = 0x15;
const RETURN: u16 = 0x06;

fn main() {
    let mut arguments = std::env::args_os().skip(1);
    let Some(program) = arguments.next() else {
        eprintln!("usage: without_io_uring PROGRAM ARGUMENTS…");
        std::process::exit(2);
    };
    let error = match forbid_io_uring() {
        Ok(()) => Command::new(program).args(arguments).exec(),
        Err(error) => error,
    };
    eprintln!("without_io_uring: {error}");
    std::process::exit(1);
}

fn forbid_io_uring() -> io::Result<()> {
    let statement = |code, jt, jf, k| libc::sock_filter { code, jt, jf, k };
    let filter = [
        statement(LOAD, 0, 0, 0), // the system call's number is the first field of seccomp_data
        statement(JUMP_IF_EQUAL, 0, 1, libc::SYS_io_uring_setup as u32),
        statement(RETURN, 0, 0, libc::SECCOMP_RET_ERRNO | libc::ENOSYS as u32),
        statement(RETURN, 0, 0, libc::SECCOMP_RET_ALLOW),
    ];
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_ptr().cast_mut() };
    // SAFETY: plain integers; this only takes privileges away from this process.
    if unsafe { libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) } != 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: `program` points to `filter`, which outlives the call; the kernel copies it and does not write to it.
    if unsafe { libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program) } != 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}
