/** Title and value of a line in the output of a command. Lines without a value are left out. */
export type Field = readonly [title: string, value: string | number | boolean | null | undefined]

/** Output lines with a title and a value each, with aligned values. */
export function fieldLines(fields: readonly Field[]): string[] {
  const shown = fields.filter(([, value]) => value !== undefined && value !== null && value !== '')
  const width = Math.max(0, ...shown.map(([title]) => title.length))
  return shown.map(([title, value]) => `${title.padEnd(width)}  ${String(value)}`)
}

/** Email address with its name for people: `Ben <ben@example.com>`. */
export function addressText(address: { name?: string; address?: string } | undefined): string {
  const { name = '', address: mail = '' } = address ?? {}
  if (name === '' || mail === '') return name || mail
  return `${name} <${mail}>`
}

/** Text for people with a number of bytes: `1.5 MB`. */
export function bytesText(bytes: number): string {
  const units = ['bytes', 'kB', 'MB', 'GB', 'TB']
  let value = bytes
  let unit = 0
  while (value >= 1_000 && unit < units.length - 1) {
    value /= 1_000
    unit += 1
  }
  return unit === 0
    ? `${bytes} ${bytes === 1 ? 'byte' : 'bytes'}`
    : `${value.toFixed(1)} ${units[unit]}`
}

/** Text for people with a number and its noun: `1 message`, `2 messages`. */
export function countText(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? '' : 's'}`
}
