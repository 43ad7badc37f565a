/** A backup that is damaged, cut short, or none of Weir's: nothing was restored from it. */
export class BackupDamaged extends Error {
  constructor(message: string) {
    super(message)
    this.name = 'BackupDamaged'
  }
}
