const units = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const

/** Size in bytes with a readable unit: `1.5 MB`. Undefined: the size is unknown. */
export function sizeText(bytes: number | undefined): string {
  if (bytes === undefined) return '–'
  const power = bytes < 1 ? 0 : Math.min(Math.floor(Math.log10(bytes) / 3), units.length - 1)
  const value = bytes / 1000 ** power
  return `${value.toLocaleString('en', { maximumFractionDigits: 1 })} ${units[power]}`
}
