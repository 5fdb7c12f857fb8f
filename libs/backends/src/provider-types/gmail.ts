// Types of the Gmail API v1. Written by `make provider-types`, do not edit.

/** Resource `BatchDeleteMessagesRequest`, as defined in Gmail API v1. */
export interface GmailBatchDeleteMessagesRequest {
  ids?: string[]
}

/** Resource `BatchModifyMessagesRequest`, as defined in Gmail API v1. */
export interface GmailBatchModifyMessagesRequest {
  addLabelIds?: string[]
  ids?: string[]
  removeLabelIds?: string[]
}

/** Resource `Draft`, as defined in Gmail API v1. */
export interface GmailDraft {
  id?: string
  message?: GmailMessage
}

/** Resource `History`, as defined in Gmail API v1. */
export interface GmailHistory {
  id?: string
  labelsAdded?: GmailHistoryLabelAdded[]
  labelsRemoved?: GmailHistoryLabelRemoved[]
  messages?: GmailMessage[]
  messagesAdded?: GmailHistoryMessageAdded[]
  messagesDeleted?: GmailHistoryMessageDeleted[]
}

/** Resource `HistoryLabelAdded`, as defined in Gmail API v1. */
export interface GmailHistoryLabelAdded {
  labelIds?: string[]
  message?: GmailMessage
}

/** Resource `HistoryLabelRemoved`, as defined in Gmail API v1. */
export interface GmailHistoryLabelRemoved {
  labelIds?: string[]
  message?: GmailMessage
}

/** Resource `HistoryMessageAdded`, as defined in Gmail API v1. */
export interface GmailHistoryMessageAdded {
  message?: GmailMessage
}

/** Resource `HistoryMessageDeleted`, as defined in Gmail API v1. */
export interface GmailHistoryMessageDeleted {
  message?: GmailMessage
}

/** Resource `Label`, as defined in Gmail API v1. */
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

/** Resource `LabelColor`, as defined in Gmail API v1. */
export interface GmailLabelColor {
  backgroundColor?: string
  textColor?: string
}

/** Resource `ListDraftsResponse`, as defined in Gmail API v1. */
export interface GmailListDraftsResponse {
  drafts?: GmailDraft[]
  nextPageToken?: string
  resultSizeEstimate?: number
}

/** Resource `ListHistoryResponse`, as defined in Gmail API v1. */
export interface GmailListHistoryResponse {
  history?: GmailHistory[]
  historyId?: string
  nextPageToken?: string
}

/** Resource `ListLabelsResponse`, as defined in Gmail API v1. */
export interface GmailListLabelsResponse {
  labels?: GmailLabel[]
}

/** Resource `ListMessagesResponse`, as defined in Gmail API v1. */
export interface GmailListMessagesResponse {
  messages?: GmailMessage[]
  nextPageToken?: string
  resultSizeEstimate?: number
}

/** Resource `ListThreadsResponse`, as defined in Gmail API v1. */
export interface GmailListThreadsResponse {
  nextPageToken?: string
  resultSizeEstimate?: number
  threads?: GmailThread[]
}

/** Resource `Message`, as defined in Gmail API v1. */
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

/** Resource `MessagePart`, as defined in Gmail API v1. */
export interface GmailMessagePart {
  body?: GmailMessagePartBody
  filename?: string
  headers?: GmailMessagePartHeader[]
  mimeType?: string
  partId?: string
  parts?: GmailMessagePart[]
}

/** Resource `MessagePartBody`, as defined in Gmail API v1. */
export interface GmailMessagePartBody {
  attachmentId?: string
  data?: string
  size?: number
}

/** Resource `MessagePartHeader`, as defined in Gmail API v1. */
export interface GmailMessagePartHeader {
  name?: string
  value?: string
}

/** Resource `ModifyMessageRequest`, as defined in Gmail API v1. */
export interface GmailModifyMessageRequest {
  addLabelIds?: string[]
  removeLabelIds?: string[]
}

/** Resource `Profile`, as defined in Gmail API v1. */
export interface GmailProfile {
  emailAddress?: string
  historyId?: string
  messagesTotal?: number
  threadsTotal?: number
}

/** Resource `Thread`, as defined in Gmail API v1. */
export interface GmailThread {
  historyId?: string
  id?: string
  messages?: GmailMessage[]
  snippet?: string
}

/** Resource `WatchRequest`, as defined in Gmail API v1. */
export interface GmailWatchRequest {
  labelFilterAction?: 'include' | 'exclude'
  labelFilterBehavior?: 'include' | 'exclude'
  labelIds?: string[]
  topicName?: string
}

/** Resource `WatchResponse`, as defined in Gmail API v1. */
export interface GmailWatchResponse {
  expiration?: string
  historyId?: string
}
