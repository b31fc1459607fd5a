# As much of Homebrew as Syncline's formula uses: `ruby homebrew.rb FORMULA ARCHIVE PREFIX` checks the archive's bytes, unpacks it,
# installs it below PREFIX and runs the formula's own test.
require "digest"
require "fileutils"
require "pathname"
require "tmpdir"

class Pathname
  # Names, or a map of names to those that they get here.
  def install(*sources)
    mkpath
    sources.flatten.each do |source|
      named = source.is_a?(Hash) ? source : { source => File.basename(source) }
      named.each { |from, to| FileUtils.cp_r(from, self / to) }
    end
  end

  def install_symlink(source)
    mkpath
    (self / source.basename).make_symlink(source)
  end
end

class Formula
  class << self
    attr_reader :said, :tested

    %i[desc homepage url version sha256 license].each do |name|
      define_method(name) { |value| (@said ||= {})[name] = value }
    end

    def depends_on(_what); end

    def test(&steps)
      @tested = steps
    end
  end

  def initialize(prefix)
    @prefix = prefix
  end

  FOLDERS = {
    bin: "bin", libexec: "libexec", man1: "share/man/man1", doc: "share/doc/syncline",
    bash_completion: "etc/bash_completion.d", zsh_completion: "share/zsh/site-functions",
    fish_completion: "share/fish/vendor_completions.d"
  }.freeze
  FOLDERS.each { |name, folder| define_method(name) { @prefix / folder } }

  def version
    self.class.said[:version]
  end

  def shell_output(command)
    output = `#{command}`
    $?.success? ? output : abort("#{command} failed")
  end

  def assert_match(expected, found)
    abort "no #{expected} in #{found}" unless found.include?(expected)
  end
end

formula, archive, prefix = ARGV.map { |path| Pathname(path).expand_path }
load formula
abort "these are other bytes than the formula's" if Digest::SHA256.file(archive).hexdigest != Syncline.said[:sha256]
abort "the URL names another archive" if File.basename(Syncline.said[:url]) != archive.basename.to_s
Dir.mktmpdir do |folder|
  system("tar", "--extract", "--gzip", "--file", archive.to_s, "--directory", folder, "--strip-components=1") || abort
  package = Syncline.new(prefix)
  Dir.chdir(folder) { package.install }
  package.instance_eval(&Syncline.tested)
end
