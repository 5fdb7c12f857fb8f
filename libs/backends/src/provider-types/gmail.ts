// Types of the Gmail API v1. Written by `make provider-types`, do not edit.

/** Resource `BatchDeleteMessagesRequest`. */
export interface GmailBatchDeleteMessagesRequest {
  ids?: string[]
}

/** Resource `BatchModifyMessagesRequest`. */
export interface GmailBatchModifyMessagesRequest {
  addLabelIds?: string[]
  ids?: string[]
  removeLabelIds?: string[]
}

/** Resource `Draft`. */
export interface GmailDraft {
  id?: string
  message?: GmailMessage
}

/** Resource `History`. */
export interface GmailHistory {
  id?: string
  labelsAdded?: GmailHistoryLabelAdded[]
  labelsRemoved?: GmailHistoryLabelRemoved[]
  messages?: GmailMessage[]
  messagesAdded?: GmailHistoryMessageAdded[]
  messagesDeleted?: GmailHistoryMessageDeleted[]
}

/** Resource `HistoryLabelAdded`. */
export interface GmailHistoryLabelAdded {
  labelIds?: string[]
  message?: GmailMessage
}

/** Resource `HistoryLabelRemoved`. */
export interface GmailHistoryLabelRemoved {
  labelIds?: string[]
  message?: GmailMessage
}

/** Resource `HistoryMessageAdded`. */
export interface GmailHistoryMessageAdded {
  message?: GmailMessage
}

/** Resource `HistoryMessageDeleted`. */
export interface GmailHistoryMessageDeleted {
  message?: GmailMessage
}

/** Resource `Label`. */
export interface GmailLabel {
  color?: GmailLabelColor
  id?: string
  labelListVisibility?: 'labelShow' | 'labelShowIfUnread' | 'labelHide'
  messageListVisibility?: 'show' | 'hide'
  messagesTotal?: number
  messagesUnread?: number
  name?: string
  threadsTotal?: number
  threadsUnread?: number
  type?: 'system' | 'user'
}

/** Resource `LabelColor`. */
export interface GmailLabelColor {
  backgroundColor?: string
  textColor?: string
}

/** Resource `ListDraftsResponse`. */
export interface GmailListDraftsResponse {
  drafts?: GmailDraft[]
  nextPageToken?: string
  resultSizeEstimate?: number
}

/** Resource `ListHistoryResponse`. */
export interface GmailListHistoryResponse {
  history?: GmailHistory[]
  historyId?: string
  nextPageToken?: string
}

/** Resource `ListLabelsResponse`. */
export interface GmailListLabelsResponse {
  labels?: GmailLabel[]
}

/** Resource `ListMessagesResponse`. */
export interface GmailListMessagesResponse {
  messages?: GmailMessage[]
  nextPageToken?: string
  resultSizeEstimate?: number
}

/** Resource `ListThreadsResponse`. */
export interface GmailListThreadsResponse {
  nextPageToken?: string
  resultSizeEstimate?: number
  threads?: GmailThread[]
}

/** Resource `Message`. */
export interface GmailMessage {
  historyId?: string
  id?: string
  internalDate?: string
  labelIds?: string[]
  payload?: GmailMessagePart
  raw?: string
  sizeEstimate?: number
  snippet?: string
  threadId?: string
}

/** Resource `MessagePart`. */
export interface GmailMessagePart {
  body?: GmailMessagePartBody
  filename?: string
  headers?: GmailMessagePartHeader[]
  mimeType?: string
  partId?: string
  parts?: GmailMessagePart[]
}

/** Resource `MessagePartBody`. */
export interface GmailMessagePartBody {
  attachmentId?: string
  data?: string
  size?: number
}

/** Resource `MessagePartHeader`. */
export interface GmailMessagePartHeader {
  name?: string
  value?: string
}

/** Resource `ModifyMessageRequest`. */
export interface GmailModifyMessageRequest {
  addLabelIds?: string[]
  removeLabelIds?: string[]
}

/** Resource `Profile`. */
export interface GmailProfile {
  emailAddress?: string
  historyId?: string
  messagesTotal?: number
  threadsTotal?: number
}

/** Resource `Thread`. */
export interface GmailThread {
  historyId?: string
  id?: string
  messages?: GmailMessage[]
  snippet?: string
}

/** Resource `WatchRequest`. */
export interface GmailWatchRequest {
  labelFilterAction?: 'include' | 'exclude'
  labelFilterBehavior?: 'include' | 'exclude'
  labelIds?: string[]
  topicName?: string
}

/** Resource `WatchResponse`. */
export interface GmailWatchResponse {
  expiration?: string
  historyId?: string
}
