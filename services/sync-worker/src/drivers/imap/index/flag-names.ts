// A mailbox index has one bitmap per name of a flag or Gmail label. The names of labels have a
// prefix and are called label entries.

/**
 * Prefix of label entries (names of Gmail labels) in a mailbox index. No flag starts with a space:
 * flags are atoms (RFC 9051 §9), and `canonicalFlag` drops flags that start with a space.
 */
const labelPrefix = ' '

/**
 * Maximum number of labels in a mailbox index. Gmail allows 10,000 labels; accounts use some dozen.
 * Changes of labels beyond the limit are not announced.
 */
export const maxLabels = 250
/** Maximum length of a label name in a mailbox index. Gmail allows 225 characters. */
const maxLength = 512

/** System labels that Gmail may show for messages outside of spam and trash. */
export const systemLabels: readonly string[] = [
  '\\Inbox',
  '\\Sent',
  '\\Important',
  '\\Starred',
  '\\Draft',
]
const canonical = new Map(systemLabels.map((label) => [label.toLowerCase(), label]))

/** Converts a label to its name in a mailbox index. Undefined for an invalid label. */
export function labelEntry(label: string): string | undefined {
  if (label === '' || label.length > maxLength) return undefined
  return labelPrefix + canonicalLabel(label)
}

/**
 * Spelling of a label in the mailbox index. System labels are spelled as in Gmail's documentation.
 * Other labels stay unchanged.
 */
export function canonicalLabel(label: string): string {
  return canonical.get(label.toLowerCase()) ?? label
}

export function isLabelEntry(name: string): boolean {
  return name.startsWith(labelPrefix)
}

/** Converts a label entry of a mailbox index to the Gmail label. */
export function labelOf(name: string): string {
  return name.slice(labelPrefix.length)
}

/** Separates names in a mailbox index into flags and labels. */
export function splitNames(names: readonly string[]): { flags: string[]; labels: string[] } {
  return {
    flags: names.filter((name) => !isLabelEntry(name)),
    labels: names.filter(isLabelEntry).map(labelOf),
  }
}

/** System flags of RFC 9051 §2.3.2, without `\\Recent`. */
export const systemFlags = ['\\Seen', '\\Answered', '\\Flagged', '\\Deleted', '\\Draft']
const spellings = new Map(systemFlags.map((flag) => [flag.toLowerCase(), flag]))

/**
 * Converts a flag to its name in a mailbox index. System flags are spelled as in RFC 9051; keywords
 * stay unchanged. Undefined for `\Recent` and other backslash flags: such flags cannot be searched,
 * so a full comparison would remove flags that a delta had added. Also undefined for a flag that
 * looks like a label entry.
 */
export function canonicalFlag(flag: string): string | undefined {
  if (flag.startsWith('\\')) return spellings.get(flag.toLowerCase())
  return flag === '' || isLabelEntry(flag) ? undefined : flag
}

/** Converts flags of a message to the flags in API responses and events, sorted. */
export function canonicalFlags(raw: readonly string[]): string[] {
  return [...new Set(raw.flatMap((flag) => canonicalFlag(flag) ?? []))].sort()
}
