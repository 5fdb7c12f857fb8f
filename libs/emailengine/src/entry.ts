import type { Secret } from '@posthorn/config'

/** Kind of an entity in the store of EmailEngine. */
export type EntryKind =
  | 'account'
  | 'application'
  | 'gateway'
  | 'template'
  | 'route'
  | 'blocklist'
  | 'token'
  | 'setting'
  | 'serviceSecret'

/** Entity of EmailEngine as the input of an operation of Posthorn's API. */
export interface MappedEntry<Input> {
  kind: EntryKind
  /** Id of the entity in EmailEngine. Not checked for control characters. */
  id: string
  /**
   * Valid input of the operation of Posthorn's API. Secret, because most inputs contain passwords
   * or tokens.
   */
  input: Secret<Input>
  /**
   * Differences between the input and the EmailEngine entity that have another effect, as texts.
   */
  changes: string[]
  /**
   * Members of the EmailEngine entity that the input does not contain, as texts with the reason.
   */
  omitted: string[]
  skipped?: undefined
}

/** Entity of EmailEngine that cannot be imported. */
export interface SkippedEntry {
  kind: EntryKind
  id: string
  /** Reason for which the EmailEngine entity is skipped. Contains no secret. */
  skipped: string
}

export type Entry<Input> = MappedEntry<Input> | SkippedEntry
