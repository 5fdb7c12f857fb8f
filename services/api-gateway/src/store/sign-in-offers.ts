import type { Db } from '@posthorn/db'
import { sql } from 'kysely'

/** An OAuth2 application by which people can sign in. */
export interface SignInOffer {
  id: string
  title: string
  /** On the first page of the form, and not only where a link asks for it. */
  listed: boolean
}

/** The applications that are enabled, ask people (service accounts do not) and are for mail servers, by title. */
export async function listSignInOffers(db: Db): Promise<SignInOffer[]> {
  return offers(db).orderBy('title').orderBy('id').execute()
}

export async function findSignInOffer(db: Db, id: string): Promise<SignInOffer | undefined> {
  return offers(db).where('id', '=', id).executeTakeFirst()
}

function offers(db: Db) {
  return db
    .selectFrom('oauth2Apps')
    .select([
      'id',
      sql<string>`coalesce(nullif(config ->> 'title', ''), name)`.as('title'),
      sql<boolean>`coalesce((config ->> 'includeInListing')::boolean, false)`.as('listed'),
    ])
    .where('enabled', '=', true)
    .where('provider', 'in', ['gmail', 'outlook', 'mailRu', 'generic'])
    .where(sql<boolean>`coalesce(config ->> 'baseScopes', 'imap') = 'imap'`)
}
