import type { SpecialUse } from '@posthorn/contracts/schemas/message'

/** Parts of the mailbox that a pass reads. Folders of messages that are due are read as well. */
export interface PassParts {
  /** Messages that the provider noticed. True for those that were deleted. */
  readonly messages: ReadonlyMap<string, boolean>
  /** Folders with these special uses. */
  readonly specialUses: readonly SpecialUse[]
}

export interface PassOptions {
  /** Absent: all feeds are read, and full rounds run. */
  readonly parts?: PassParts
  /** Messages that the provider noticed, of a pass that reads all feeds. */
  readonly noticed?: PassParts['messages']
  /** True if another pass is requested: full rounds that are left wait for a later one. */
  readonly mustYield?: () => boolean
}

/** Message that a notification named, and no feed. */
export interface UnreportedMessage {
  readonly id: string
  /** True if it is not in the index. */
  readonly isNew: boolean
}

export interface PassResult {
  /** Time of the next attempt to read a message that the provider did not return. */
  readonly dueAt: Date | undefined
  /** True if full rounds are left: the next pass starts immediately and reads all feeds. */
  readonly hasRounds: boolean
  /** True if a feed reported changes. */
  readonly hasChanges: boolean
  readonly unreported: readonly UnreportedMessage[]
  /** A path of the account that names no folder. */
  readonly unknownPath: string | undefined
}
