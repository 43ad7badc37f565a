/** A moment in words, always with its zone. */
export function momentText(time: number, zone?: string): string {
  return new Intl.DateTimeFormat(undefined, {
    ...{ dateStyle: 'medium', timeStyle: 'long' },
    ...(zone === undefined || zone === '' ? {} : { timeZone: zone }),
  } as Intl.DateTimeFormatOptions).format(time)
}

/** A moment in a table or a sentence. */
export function Moment({ time, zone }: { readonly time: number; readonly zone?: string }) {
  return <time dateTime={new Date(time).toISOString()}>{momentText(time, zone)}</time>
}
