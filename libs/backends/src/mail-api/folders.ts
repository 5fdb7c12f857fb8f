import type { MessageCategory, SpecialUse } from '@posthorn/contracts/schemas/message'

/** Mail folder of Microsoft Graph, or label of Gmail. */
export interface ApiFolder {
  id: string
  /** Names of the levels, top first. A name may contain `/`; it may be localized. */
  path: string[]
  /**
   * Parent folder. Absent at the top level, and if the parent exists only as a part of the name.
   */
  parentId?: string
  specialUse?: SpecialUse
  /** Tab of the Gmail inbox that this label stands for. */
  category?: MessageCategory
  /** False for labels and folders of the system, which cannot be renamed or deleted. */
  editable: boolean
  /** False for labels that the provider assigns itself, such as Gmail's SENT and DRAFT. */
  assignable: boolean
  hidden?: true
}

/** Place of a folder. At the top level, `parentId` is absent, or an id that is not listed. */
export interface FolderPlace {
  name: string
  parentId?: string
}

/** Number of messages in a folder. */
export interface FolderCounts {
  messages: number
  unseen: number
}

export interface NewFolder {
  /** Last level of the path, not empty, at most 255 characters. */
  name: string
  /** Parent folder; absent for the top level. */
  parentId?: string
}

/** Change of a folder. `parentId` null moves it to the top level. */
export interface FolderChange {
  name?: string
  parentId?: string | null
}

/** Folders of a mailbox. Operations on a folder that does not exist fail with `folder-missing`. */
export interface MailApiFolders {
  /**
   * All folders, with hidden folders and without search folders. At most 25,000, else `refused`.
   */
  folders(signal: AbortSignal): Promise<ApiFolder[]>
  /** Current place of a folder, in one request. Absent with placement `labels`. */
  folderPlace?(id: string, signal: AbortSignal): Promise<FolderPlace>
  folderCounts(id: string, signal: AbortSignal): Promise<FolderCounts>
  /** @throws MailApiError `folder-exists`, without regard to case */
  createFolder(folder: NewFolder, signal: AbortSignal): Promise<ApiFolder>
  /**
   * Renames or moves a folder with its children. Ids stay. Not atomic with placement `labels`: one
   * request per child; after a failure the call may be repeated.
   * @throws MailApiError `folder-exists`; `refused` for a folder that is not `editable`
   */
  renameFolder(id: string, change: FolderChange, signal: AbortSignal): Promise<ApiFolder>
  /**
   * Deletes a folder. With placement `labels` its messages and children stay. With placement
   * `folder` both move to the trash or are deleted.
   * @throws MailApiError `refused` for a folder that is not `editable`
   */
  deleteFolder(id: string, signal: AbortSignal): Promise<void>
}
