import type { TSchema } from 'typebox'
import { defined } from '../defined.ts'
import {
  AccountListEntry,
  AccountRecord,
  AccountRegistration,
  AccountUpdate,
  LastError,
} from '../schemas/account.ts'
import { AttachmentSource } from '../schemas/attachment.ts'
import { FlagUpdate } from '../schemas/flag-update.ts'
import {
  ImapConfig,
  ImapDisabled,
  ImapUpdate,
  SmtpConfig,
  SmtpUpdate,
} from '../schemas/mail-server.ts'
import {
  AttachmentInfo,
  MailboxEntry,
  MessageDetail,
  MessageEntry,
  MessagePage,
  TextInfo,
} from '../schemas/message.ts'
import { Address, KeyValue, ReadAddress } from '../schemas/primitives.ts'
import { Reference } from '../schemas/reference.ts'
import { Search } from '../schemas/search.ts'
import { DraftSubmission, Submission, SubmissionResult } from '../schemas/submission.ts'
import {
  Permissions,
  Restrictions,
  TokenLogEntry,
  TokenRecord,
  TokenRequest,
} from '../schemas/token.ts'
import { SettingsUpdate } from '../settings/settings.ts'
import { Problem } from './problem.ts'

/** Schemas that have a name in the OpenAPI document. All other schemas are inlined. */
const namedSchemas: Record<string, TSchema> = {
  AccountListEntry,
  AccountRecord,
  AccountRegistration,
  AccountUpdate,
  Address,
  AttachmentInfo,
  AttachmentSource,
  DraftSubmission,
  FlagUpdate,
  ImapConfig,
  ImapDisabled,
  ImapUpdate,
  KeyValue,
  LastError,
  MailboxEntry,
  MessageDetail,
  MessageEntry,
  MessagePage,
  Permissions,
  Problem,
  ReadAddress,
  Reference,
  Restrictions,
  Search,
  Settings: SettingsUpdate,
  SmtpConfig,
  SmtpUpdate,
  Submission,
  SubmissionResult,
  TextInfo,
  TokenLogEntry,
  TokenRecord,
  TokenRequest,
}

/** Descriptions of the named schemas whose definitions have no description. */
const descriptions: Readonly<Record<string, string>> = {
  AccountListEntry: 'Account in a list, with its state and last error.',
  AccountRecord: 'Account with its settings, state and last error. Secrets are masked as `******`.',
  AccountRegistration: 'Account to register. Only `account` and `name` are required.',
  AccountUpdate:
    'Changes of an account. Absent members keep their values, `null` and `false` remove a value.',
  AttachmentInfo: 'Attachment of a stored message, without the content.',
  AttachmentSource:
    'Attachment of a message to send or store: its content, or a reference to an attachment of a stored message.',
  DraftSubmission: 'Options for sending a stored draft.',
  ImapConfig: 'Incoming server (IMAP) of an account, with the login.',
  ImapDisabled: 'Incoming server (IMAP) that is stored, but to which the account does not connect.',
  ImapUpdate: 'Changes of the incoming server (IMAP) of an account.',
  MailboxEntry: 'Mailbox of an account, as stored by the last sync.',
  MessageDetail: 'Message with its headers.',
  MessageEntry: 'Message in a list, without headers and texts.',
  MessagePage: 'One page of a list of messages.',
  Problem: 'Body of an error response.',
  Settings: 'Settings of the installation to change. `null` unsets a setting.',
  SmtpConfig: 'Outgoing server (SMTP) of an account, with the login.',
  SmtpUpdate: 'Changes of the outgoing server (SMTP) of an account.',
  Submission:
    'Message to send: its content, or references to a template and to stored messages, and options for sending.',
  SubmissionResult: 'Confirmation that a message is stored for sending.',
  TextInfo: 'Texts of a message: id and sizes, and if requested the texts.',
  TokenLogEntry: 'Use of an access token, which was allowed or denied.',
  TokenRecord: 'Access token with its rights and last use, without its value.',
  TokenRequest: 'Rights and lifetime of an access token to create.',
}

// Named schemas are recognized by their content: `Type.Optional` copies a schema, and a member may
// have its own description.
const names = new Map(
  Object.entries(namedSchemas).map(([name, schema]) => [contentOf(schema), name]),
)

/** Content of a schema as JSON, without the schema's description. */
function contentOf(schema: object): string {
  return JSON.stringify({ ...schema, description: undefined })
}

/**
 * Names in JSON Schema for formats that have another name in the contracts. Formats that are not
 * listed keep their name in the OpenAPI document.
 */
const formats: Record<string, string> = {
  'mail-address': 'email',
  'http-url': 'uri',
  'http-url-or-empty': 'uri-reference',
  'proxy-url': 'uri',
  'proxy-url-or-empty': 'uri-reference',
}

/** All named schemas of the OpenAPI document. */
export function componentSchemas(): Record<string, object> {
  return Object.fromEntries(
    Object.entries(namedSchemas).map(([name, schema]) => [
      name,
      { ...defined({ description: descriptions[name] }), ...members(schema) },
    ]),
  )
}

/**
 * Converts a schema for the OpenAPI document: named schemas become references, and keywords that
 * only the validator of this package knows are removed.
 */
export function toOpenApiSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toOpenApiSchema)
  if (schema === null || typeof schema !== 'object') return schema
  const name = names.get(contentOf(schema))
  if (name === undefined) return members(schema)
  const { description } = schema as Described
  const differs = description !== (namedSchemas[name] as Described).description
  return { $ref: `#/components/schemas/${name}`, ...(differs && { description }) }
}

const singleHint = 'A single value instead of a list is accepted, too.'

interface Described {
  description?: string
  anyOf?: Described[]
}

/**
 * Moves the description of a nullable schema from the schema's first branch to the schema itself.
 */
function hoistDescription(schema: Described): Described {
  const [{ description, ...first } = {}, ...others] = schema.anyOf ?? []
  if (description === undefined || schema.description !== undefined) return schema
  return { ...schema, description, anyOf: [first, ...others] }
}

function members(schema: object): object {
  const { single, format, ...rest } = hoistDescription(schema) as Described & {
    single?: boolean
    format?: unknown
  }
  const described = Object.fromEntries(
    Object.entries<unknown>(rest).map(([keyword, value]) => [
      keyword,
      keyword === 'properties' ? properties(value as object) : toOpenApiSchema(value),
    ]),
  )
  return {
    ...described,
    ...(typeof format === 'string' ? { format: formats[format] ?? format } : {}),
    ...(single ? { description: [rest.description, singleHint].filter(Boolean).join(' ') } : {}),
  }
}

/**
 * Converts the documented members of an object schema. The keys of `members` are names of members
 * and may equal keywords of JSON Schema.
 */
function properties(members: object): object {
  const documented = Object.entries(members).filter(([, schema]) => !isHidden(schema))
  return Object.fromEntries(documented.map(([name, schema]) => [name, toOpenApiSchema(schema)]))
}

/** True for a member of an API request that is accepted but not documented. */
function isHidden(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'hidden' in value && value.hidden === true
}
