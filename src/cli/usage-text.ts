/** What `weir help` prints. */
export const usageText = `Usage: npm run weir -- <command> [options] [--json]

  serve                           run the service, as npm start does
  user add <email>                add a user to an organization
      --role OWNER|ADMIN|MEMBER|GUEST (MEMBER)  --org <uid>  --password <text>
      --first-name <text>  --last-name <text>  --time-zone <zone> (UTC)
  user reset-password <email>     give a user another password and end all sessions
      --password <text>
  org add <name> --owner-email <email>
      --owner-password <text>  --time-zone <zone> (UTC)
  org list
  key add <name>                  add an API key; by default one for feeds and properties
      --capability <resource>=<methods>  --ip <address or range>   (both repeatable)
      --org <uid>  --description <text>
  key list  --org <uid>
  key revoke <uid>
  check                           read all that is stored and hold it against its checksums;
                                  exit code 65 when something is damaged
  backup <target>                 copy the data folder, also while the service runs on it: to a
      --with-key                  folder, or to an archive (.tar, .tar.gz, .tar.zst); secret.key,
                                  which reveals API keys, goes along only when it is asked for
  restore <backup>                check a backup and make the data folder from it
      --to <folder>               another folder than WEIR_DATA_DIR; it must be missing or empty
  move --to cluster               copy everything from the data folder into the cluster of the
                                  settings, and check that both are the same; no service runs on
                                  either; given again, it goes on where it was broken off
  move --to folder                the same from the cluster into the data folder
  add sqlserver|oracle            install the driver of a database in WEIR_DRIVERS_DIR
  folder accept-loss              go on without a part of the data folder that is lost for
                                  good; only while no service runs on the folder

--org may be left out while there is one organization. Passwords that are not given are
made up and printed; "--password -" reads one from standard input. Commands work on the data
folder of WEIR_DATA_DIR, whether a service runs on it or not.`
