/** What `weir help` prints. */
export const usageText = `Usage: weir [<command>] [options] [--json]

  serve                           run the service; the same as weir without a command
  demo                            run a service with a month of example data in data/demo
  user add <email>                add a user to an organization
      --role OWNER|ADMIN|MEMBER|GUEST (MEMBER)  --org <uid>  --password <text>
      --first-name <text>  --last-name <text>  --time-zone <zone> (UTC)
  user reset-password <email>     set a new password and end all sessions
      --password <text>
  org add <name> --owner-email <email>
      --owner-password <text>  --time-zone <zone> (UTC)
  org list
  key add <name>                  add an API key, by default for feeds and properties
      --capability <resource>=<methods>  --ip <address or range>   (both repeatable)
      --org <uid>  --description <text>
  key list  --org <uid>
  key revoke <uid>
  check                           read all stored data and verify its checksums;
                                  exit code 65 if any data is damaged
  backup <target>                 copy the data folder, even while the service is running, to a
      --with-key                  folder or an archive (.tar, .tar.gz, .tar.zst). secret.key,
                                  which reveals API keys, is included only with --with-key
  restore <backup>                check a backup and restore it to the data folder
      --to <folder>               target folder instead of WEIR_DATA_DIR; must be missing or empty
  move --to cluster               copy everything from the data folder into the cluster of the
                                  settings, and verify the copy. Stop the services of both first.
                                  Run it again to continue after an interruption
  move --to folder                the same, from the cluster to the data folder
  migrate influx <url> --db <name>  copy a database of a running InfluxDB 1.x into a running Weir,
      --to <url> (http://127.0.0.1:8080)  and verify the copy. The key of Weir is WEIR_KEY, the
      --user <name>  --progress <file>    password of InfluxDB is INFLUX_PASSWORD. Run it again to
                                  continue after an interruption
  add sqlserver|oracle            install a database driver in WEIR_DRIVERS_DIR
  version, --version              print the version and the commit it was built from
  licenses                        print the licenses of the libraries in this release
  folder accept-loss              continue without a part of the data folder that is lost for
                                  good. Stop the service first

--org is optional if there is only one organization. Passwords that are not given are
generated and printed. "--password -" reads one from standard input. Commands use the data
folder WEIR_DATA_DIR, whether the service is running or not.`
