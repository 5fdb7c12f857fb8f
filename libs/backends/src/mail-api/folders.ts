import type { MessageCategory, SpecialUse } from '@posthorn/contracts/schemas/message'

/** Mail folder of Microsoft Graph, or label of Gmail. */
export interface ApiFolder {
  id: string
  /**
   * Path of a mail folder: the names of its levels, top level first. A name may contain `/` and may
   * be localized.
   */
  path: string[]
  /**
   * Id of the parent of a mail folder. Absent at the top level, and if the parent exists only as a
   * part of the folder's name.
   */
  parentId?: string
  specialUse?: SpecialUse
  /** Category (tab) of the Gmail inbox that this label stands for. */
  category?: MessageCategory
  /** False for labels and folders of the mail system, which cannot be renamed or deleted. */
  editable: boolean
  /**
   * True if clients can add the label to messages. False for labels that the mail provider assigns
   * itself, such as Gmail's SENT and DRAFT.
   */
  assignable: boolean
  hidden?: true
}

/**
 * Place of a folder in the tree of folders. At the top level, `parentId` is absent or is an id that
 * the list of folders does not contain.
 */
export interface FolderPlace {
  name: string
  parentId?: string
}

/** Numbers of all messages and of unseen messages in a mail folder. */
export interface FolderCounts {
  messages: number
  unseen: number
}

export interface NewFolder {
  /** Name of the new mail folder: last level of its path, not empty, at most 255 characters. */
  name: string
  /** Parent of the new mail folder; absent for the top level. */
  parentId?: string
}

/** Change of a folder's name or place. `parentId` null moves the folder to the top level. */
export interface FolderChange {
  name?: string
  parentId?: string | null
}

/**
 * Manages folders of a mailbox. An operation on a folder that does not exist fails with
 * `folder-missing`.
 */
export interface MailApiFolders {
  /**
   * Lists all folders of the mailbox, including hidden folders and without search folders. Fails
   * with `refused` for more than 25,000 folders.
   */
  folders(signal: AbortSignal): Promise<ApiFolder[]>
  /**
   * Reads the current place of a folder with one request. The method is absent if the provider has
   * labels instead of folders (placement `labels`).
   */
  folderPlace?(id: string, signal: AbortSignal): Promise<FolderPlace>
  folderCounts(id: string, signal: AbortSignal): Promise<FolderCounts>
  /**
   * Creates a mail folder of the mailbox.
   * @throws MailApiError `folder-exists` if a folder has this name, compared without regard to case
   */
  createFolder(folder: NewFolder, signal: AbortSignal): Promise<ApiFolder>
  /**
   * Renames or moves a folder with its children. Folder ids stay unchanged. Not atomic with
   * placement `labels`, which needs a request per child. After a failure the call may be repeated.
   * @throws MailApiError `folder-exists`; `refused` for a folder that is not `editable`
   */
  renameFolder(id: string, change: FolderChange, signal: AbortSignal): Promise<ApiFolder>
  /**
   * Deletes a folder. With placement `labels`, the messages and children of the folder stay. With
   * placement `folder`, the messages and children move to the trash or are deleted.
   * @throws MailApiError `refused` for a folder that is not `editable`
   */
  deleteFolder(id: string, signal: AbortSignal): Promise<void>
}
