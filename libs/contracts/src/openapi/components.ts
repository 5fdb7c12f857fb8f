import type { TSchema } from 'typebox'
import {
  AccountListEntry,
  AccountRecord,
  AccountRegistration,
  AccountUpdate,
  ImapConfig,
  ImapDisabled,
  ImapUpdate,
  LastError,
  SmtpConfig,
  SmtpUpdate,
} from '../schemas/account.ts'
import { AttachmentSource } from '../schemas/attachment.ts'
import { FlagUpdate } from '../schemas/flag-update.ts'
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

/** The schemas that have a name in the document; all others stand where they are used. */
const named: Record<string, TSchema> = {
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

// By content: making a schema optional copies it, so that it is not the same object any more.
const names = new Map(Object.entries(named).map(([name, schema]) => [JSON.stringify(schema), name]))

/** Formats of ours that have a name in JSON Schema as well; the others are told in words by their name. */
const formats: Record<string, string> = {
  'mail-address': 'email',
  'http-url': 'uri',
  'http-url-or-empty': 'uri-reference',
  'proxy-url': 'uri',
  'proxy-url-or-empty': 'uri-reference',
}

/** Every named schema, written out. */
export function componentSchemas(): Record<string, object> {
  return Object.fromEntries(Object.entries(named).map(([name, schema]) => [name, members(schema)]))
}

/** A schema as the document shows it: named ones as references, and nothing in it that only our validator knows. */
export function toOpenApiSchema(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(toOpenApiSchema)
  if (schema === null || typeof schema !== 'object') return schema
  const name = names.get(JSON.stringify(schema))
  return name === undefined ? members(schema) : { $ref: `#/components/schemas/${name}` }
}

const ofOne = 'A single value is taken as a list of one'

function members(schema: object): object {
  const { single, format, ...rest } = schema as {
    single?: boolean
    format?: unknown
    description?: string
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
    ...(single ? { description: [rest.description, ofOne].filter(Boolean).join('. ') } : {}),
  }
}

/** Members by their names, which may be those of keywords. */
function properties(given: object): object {
  const told = Object.entries(given).filter(([, schema]) => !isHidden(schema))
  return Object.fromEntries(told.map(([name, schema]) => [name, toOpenApiSchema(schema)]))
}

/** A member that is taken, and told of nowhere. */
function isHidden(value: unknown): boolean {
  return typeof value === 'object' && value !== null && 'hidden' in value && value.hidden === true
}
