// Types of the Microsoft Graph v1.0. Written by `make provider-types`, do not edit.

/** Resource `attachment`, as defined in Microsoft Graph v1.0. */
export interface GraphAttachment extends GraphEntity {
  contentType?: string | null
  isInline?: boolean
  lastModifiedDateTime?: string | null
  name?: string | null
  size?: number
}

/** Resource `attachmentItem`, as defined in Microsoft Graph v1.0. */
export interface GraphAttachmentItem {
  '@odata.type'?: string
  attachmentType?: GraphAttachmentType | null
  contentId?: string | null
  contentType?: string | null
  isInline?: boolean | null
  name?: string | null
  size?: number | null
}

/** Resource `changeNotification`, as defined in Microsoft Graph v1.0. */
export interface GraphChangeNotification {
  '@odata.type'?: string
  changeType?: GraphChangeType
  clientState?: string | null
  id?: string | null
  lifecycleEvent?: GraphLifecycleEventType | null
  resource?: string
  resourceData?: GraphResourceData | null
  subscriptionExpirationDateTime?: string
  subscriptionId?: string
  tenantId?: string
}

/** Resource `changeNotificationCollection`, as defined in Microsoft Graph v1.0. */
export interface GraphChangeNotificationCollection {
  '@odata.type'?: string
  validationTokens?: string[]
  value?: GraphChangeNotification[]
}

/** Resource `convertIdResult`, as defined in Microsoft Graph v1.0. */
export interface GraphConvertIdResult {
  '@odata.type'?: string
  errorDetails?: GraphGenericError | null
  sourceId?: string | null
  targetId?: string | null
}

/** Resource `dateTimeTimeZone`, as defined in Microsoft Graph v1.0. */
export interface GraphDateTimeTimeZone {
  '@odata.type'?: string
  dateTime?: string
  timeZone?: string | null
}

/** Resource `emailAddress`, as defined in Microsoft Graph v1.0. */
export interface GraphEmailAddress {
  '@odata.type'?: string
  address?: string | null
  name?: string | null
}

/** Resource `entity`, as defined in Microsoft Graph v1.0. */
export interface GraphEntity {
  '@odata.type'?: string
  id?: string
}

/** Resource `eventMessage`, as defined in Microsoft Graph v1.0. */
export interface GraphEventMessage extends GraphMessage {
  endDateTime?: GraphDateTimeTimeZone | null
  isAllDay?: boolean | null
  isDelegated?: boolean | null
  isOutOfDate?: boolean | null
  meetingMessageType?: GraphMeetingMessageType | null
  startDateTime?: GraphDateTimeTimeZone | null
  type?: GraphEventType | null
}

/** Resource `fileAttachment`, as defined in Microsoft Graph v1.0. */
export interface GraphFileAttachment extends GraphAttachment {
  contentBytes?: string | null
  contentId?: string | null
  contentLocation?: string | null
}

/** Resource `followupFlag`, as defined in Microsoft Graph v1.0. */
export interface GraphFollowupFlag {
  '@odata.type'?: string
  completedDateTime?: GraphDateTimeTimeZone | null
  dueDateTime?: GraphDateTimeTimeZone | null
  flagStatus?: GraphFollowupFlagStatus | null
  startDateTime?: GraphDateTimeTimeZone | null
}

/** Resource `genericError`, as defined in Microsoft Graph v1.0. */
export interface GraphGenericError {
  '@odata.type'?: string
  code?: string | null
  message?: string | null
}

/** Resource `internetMessageHeader`, as defined in Microsoft Graph v1.0. */
export interface GraphInternetMessageHeader {
  '@odata.type'?: string
  name?: string | null
  value?: string | null
}

/** Resource `itemAttachment`, as defined in Microsoft Graph v1.0. */
export interface GraphItemAttachment extends GraphAttachment {}

/** Resource `itemBody`, as defined in Microsoft Graph v1.0. */
export interface GraphItemBody {
  '@odata.type'?: string
  content?: string | null
  contentType?: GraphBodyType | null
}

/** Resource `mailFolder`, as defined in Microsoft Graph v1.0. */
export interface GraphMailFolder extends GraphEntity {
  childFolderCount?: number | null
  displayName?: string | null
  isHidden?: boolean | null
  parentFolderId?: string | null
  totalItemCount?: number | null
  unreadItemCount?: number | null
  childFolders?: GraphMailFolder[]
}

/** Resource `mailSearchFolder`, as defined in Microsoft Graph v1.0. */
export interface GraphMailSearchFolder extends GraphMailFolder {
  filterQuery?: string | null
  includeNestedFolders?: boolean | null
  isSupported?: boolean | null
  sourceFolderIds?: string[]
}

/** Resource `message`, as defined in Microsoft Graph v1.0. */
export interface GraphMessage extends GraphOutlookItem {
  bccRecipients?: GraphRecipient[]
  body?: GraphItemBody | null
  bodyPreview?: string | null
  ccRecipients?: GraphRecipient[]
  conversationId?: string | null
  conversationIndex?: string | null
  flag?: GraphFollowupFlag | null
  from?: GraphRecipient | null
  hasAttachments?: boolean | null
  importance?: GraphImportance | null
  inferenceClassification?: GraphInferenceClassificationType | null
  internetMessageHeaders?: GraphInternetMessageHeader[]
  internetMessageId?: string | null
  isDeliveryReceiptRequested?: boolean | null
  isDraft?: boolean | null
  isRead?: boolean | null
  isReadReceiptRequested?: boolean | null
  parentFolderId?: string | null
  receivedDateTime?: string | null
  replyTo?: GraphRecipient[]
  sender?: GraphRecipient | null
  sentDateTime?: string | null
  subject?: string | null
  toRecipients?: GraphRecipient[]
  uniqueBody?: GraphItemBody | null
  webLink?: string | null
  attachments?: GraphAttachment[]
  singleValueExtendedProperties?: GraphSingleValueLegacyExtendedProperty[]
}

/** Resource `outlookItem`, as defined in Microsoft Graph v1.0. */
export interface GraphOutlookItem extends GraphEntity {
  categories?: string[]
  changeKey?: string | null
  createdDateTime?: string | null
  lastModifiedDateTime?: string | null
}

/** Resource `recipient`, as defined in Microsoft Graph v1.0. */
export interface GraphRecipient {
  '@odata.type'?: string
  emailAddress?: GraphEmailAddress | null
}

/** Resource `referenceAttachment`, as defined in Microsoft Graph v1.0. */
export interface GraphReferenceAttachment extends GraphAttachment {}

/** Resource `resourceData`, as defined in Microsoft Graph v1.0. */
export interface GraphResourceData {
  '@odata.type'?: string
}

/** Resource `singleValueLegacyExtendedProperty`, as defined in Microsoft Graph v1.0. */
export interface GraphSingleValueLegacyExtendedProperty extends GraphEntity {
  value?: string | null
}

/** Resource `subscription`, as defined in Microsoft Graph v1.0. */
export interface GraphSubscription extends GraphEntity {
  applicationId?: string | null
  changeType?: string
  clientState?: string | null
  creatorId?: string | null
  encryptionCertificate?: string | null
  encryptionCertificateId?: string | null
  expirationDateTime?: string
  includeResourceData?: boolean | null
  latestSupportedTlsVersion?: string | null
  lifecycleNotificationUrl?: string | null
  notificationQueryOptions?: string | null
  notificationUrl?: string
  notificationUrlAppId?: string | null
  resource?: string
}

/** Resource `uploadSession`, as defined in Microsoft Graph v1.0. */
export interface GraphUploadSession {
  '@odata.type'?: string
  expirationDateTime?: string | null
  nextExpectedRanges?: string[]
  uploadUrl?: string | null
}

/** Enumeration `attachmentType`, as defined in Microsoft Graph v1.0. */
export type GraphAttachmentType = 'file' | 'item' | 'reference'

/** Enumeration `bodyType`, as defined in Microsoft Graph v1.0. */
export type GraphBodyType = 'text' | 'html'

/** Enumeration `changeType`, as defined in Microsoft Graph v1.0. */
export type GraphChangeType = 'created' | 'updated' | 'deleted'

/** Enumeration `eventType`, as defined in Microsoft Graph v1.0. */
export type GraphEventType = 'singleInstance' | 'occurrence' | 'exception' | 'seriesMaster'

/** Enumeration `exchangeIdFormat`, as defined in Microsoft Graph v1.0. */
export type GraphExchangeIdFormat =
  | 'entryId'
  | 'ewsId'
  | 'immutableEntryId'
  | 'restId'
  | 'restImmutableEntryId'

/** Enumeration `followupFlagStatus`, as defined in Microsoft Graph v1.0. */
export type GraphFollowupFlagStatus = 'notFlagged' | 'complete' | 'flagged'

/** Enumeration `importance`, as defined in Microsoft Graph v1.0. */
export type GraphImportance = 'low' | 'normal' | 'high'

/** Enumeration `inferenceClassificationType`, as defined in Microsoft Graph v1.0. */
export type GraphInferenceClassificationType = 'focused' | 'other'

/** Enumeration `lifecycleEventType`, as defined in Microsoft Graph v1.0. */
export type GraphLifecycleEventType = 'missed' | 'subscriptionRemoved' | 'reauthorizationRequired'

/** Enumeration `meetingMessageType`, as defined in Microsoft Graph v1.0. */
export type GraphMeetingMessageType =
  | 'none'
  | 'meetingRequest'
  | 'meetingCancelled'
  | 'meetingAccepted'
  | 'meetingTenativelyAccepted'
  | 'meetingDeclined'
