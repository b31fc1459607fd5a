# Syncline from source by Nix: `nix run github:syncline/syncline -- check`. The default features; RocksDB and S3 are left out.
{
  description = "Lighthouse for database storage: measures a disk the way a database uses it";

  inputs.nixpkgs.url = "github:NixOS/nixpkgs/nixos-unstable";

  outputs =
    { self, nixpkgs }:
    let
      manifest = (builtins.fromTOML (builtins.readFile ./Cargo.toml)).workspace.package;
      systems = [
        "x86_64-linux"
        "aarch64-linux"
      ];
      forEach = make: nixpkgs.lib.genAttrs systems (system: make nixpkgs.legacyPackages.${system});
    in
    {
      packages = forEach (pkgs: {
        default = pkgs.rustPlatform.buildRustPackage {
          pname = "syncline";
          inherit (manifest) version;
          src = self;
          cargoLock.lockFile = ./Cargo.lock;
          buildAndTestSubdir = "crates/syncline";
          # The tests make file systems and start databases.
          doCheck = false;
          meta = {
            description = "Measures a disk the way a database uses it";
            homepage = manifest.repository;
            license = with pkgs.lib.licenses; [
              mit
              asl20
            ];
            mainProgram = "syncline";
            platforms = systems;
          };
        };
      });
    };
}
