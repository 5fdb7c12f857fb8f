// Names of flags and Gmail labels in a mailbox index. Each name has one bitmap. Label entries have
// a prefix.

/**
 * Prefix of label entries in a mailbox index. No flag starts with a space: flags are atoms (RFC
 * 9051 §9), and `canonicalFlag` drops flags that start with a space.
 */
const labelPrefix = ' '

/**
 * Maximum labels in a mailbox index. Gmail allows 10,000; accounts use some dozen. Changes of
 * further labels are not announced.
 */
export const maxLabels = 250
/** Maximum length of a label name in a mailbox index. Gmail allows 225 characters. */
const maxLength = 512

/** Gmail's system labels of messages that are neither in spam nor in trash. */
export const systemLabels: readonly string[] = [
  '\\Inbox',
  '\\Sent',
  '\\Important',
  '\\Starred',
  '\\Draft',
]
const canonical = new Map(systemLabels.map((label) => [label.toLowerCase(), label]))

/** Name of a label in a mailbox index; undefined for an invalid label. */
export function labelEntry(label: string): string | undefined {
  if (label === '' || label.length > maxLength) return undefined
  return labelPrefix + canonicalLabel(label)
}

/**
 * Label as the mailbox index spells it: system labels in the spelling of Gmail's documentation,
 * other labels unchanged.
 */
export function canonicalLabel(label: string): string {
  return canonical.get(label.toLowerCase()) ?? label
}

export function isLabelEntry(name: string): boolean {
  return name.startsWith(labelPrefix)
}

/** Label that a name in a mailbox index stands for. */
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
 * Name of a flag in a mailbox index: system flags in the spelling of RFC 9051, keywords unchanged.
 * Undefined for `\Recent` and other backslash flags, which cannot be searched: a full comparison
 * would remove flags that a delta had added. Also undefined for a flag that looks like a label
 * entry.
 */
export function canonicalFlag(flag: string): string | undefined {
  if (flag.startsWith('\\')) return spellings.get(flag.toLowerCase())
  return flag === '' || isLabelEntry(flag) ? undefined : flag
}

/** Flags of a message in API responses and events, sorted. */
export function canonicalFlags(raw: readonly string[]): string[] {
  return [...new Set(raw.flatMap((flag) => canonicalFlag(flag) ?? []))].sort()
}
