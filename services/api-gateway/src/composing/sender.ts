import { fieldError } from '@posthorn/contracts/describe-error'
import type { MessageContent } from '@posthorn/contracts/schemas/content'
import type { Settings } from '@posthorn/contracts/settings/settings'
import { validationError } from '@posthorn/contracts/validate'

/** Address with an optional display name (RFC 5322 mailbox). */
export type Mailbox = NonNullable<MessageContent['from']>

/** Owner of the account. */
export interface Owner {
  name: string
  email: string | null
}

/** Owner with the language and time zone of quotations. */
export interface OwnerWithLanguage extends Owner {
  locale: string | null
  tz: string | null
}

/** Sender of a message: its `from`, else the owner. @throws AppError `invalid` without either */
export function senderOf({ from }: { from?: Mailbox }, { name, email }: Owner): Mailbox {
  if (from) return from
  if (email === null)
    throw validationError([fieldError('from', 'is required, as the account has no address')])
  return { name, address: email }
}

/** Adds the language and time zone of the settings for quotations, unless the owner has its own. */
export function withLanguage<T extends OwnerWithLanguage>(
  owner: T,
  { locale, timezone }: Pick<Settings, 'locale' | 'timezone'>,
): T {
  return {
    ...owner,
    locale: owner.locale ?? locale ?? null,
    tz: owner.tz ?? timezone ?? null,
  }
}
