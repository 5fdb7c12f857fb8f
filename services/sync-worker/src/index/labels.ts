// Labels of Gmail are remembered beside the flags, a bitmap each.

/**
 * Begins the name of a label where flags are remembered as well. No flag begins with a blank: RFC 9051 §9 makes flags of atoms, and
 * `canonicalFlag` takes no other.
 */
const labelPrefix = ' '

/** Of a mailbox, at most: Gmail has up to 10,000, of which people use some dozen. Changes of the others are not told. */
export const maxLabels = 250
/** Gmail takes 225 characters. */
const maxLength = 512

/** Those that Gmail has made, and puts on messages that are neither spam nor trash. */
export const systemLabels: readonly string[] = [
  '\\Inbox',
  '\\Sent',
  '\\Important',
  '\\Starred',
  '\\Draft',
]
const canonical = new Map(systemLabels.map((label) => [label.toLowerCase(), label]))

/** The name under which a label is remembered; undefined for what cannot be one. */
export function labelEntry(label: string): string | undefined {
  if (label === '' || label.length > maxLength) return undefined
  return labelPrefix + canonicalLabel(label)
}

/** System labels in the spelling of Gmail's documentation, others as they come. */
export function canonicalLabel(label: string): string {
  return canonical.get(label.toLowerCase()) ?? label
}

export function isLabelEntry(name: string): boolean {
  return name.startsWith(labelPrefix)
}

/** The label that is remembered under a name. */
export function labelOf(name: string): string {
  return name.slice(labelPrefix.length)
}

/** What is remembered of messages, taken apart. */
export function splitNames(names: readonly string[]): { flags: string[]; labels: string[] } {
  return {
    flags: names.filter((name) => !isLabelEntry(name)),
    labels: names.filter(isLabelEntry).map(labelOf),
  }
}
