import { randomBytes, randomUUID } from 'node:crypto'
import type { AdminRole } from '@posthorn/contracts/admin/roles'
import type { AdminSessions } from '@posthorn/db'
import type { Db } from '@posthorn/db'
import { hashToken } from '@posthorn/secrets'

export interface SignedIn {
  person: string
  session: string
  /** Value that admin-ui sends to api-gateway for the person's session. */
  credential: string
}

export interface SignInOptions {
  role?: AdminRole
  /** True if the right to read mail is active in the person's session. */
  readsMail?: boolean
  /** Members of the person's session that differ from the members of a new session. */
  session?: Partial<Pick<AdminSessions, 'mailUntil' | 'expiresAt'>> & {
    seenAt?: Date
    factorAt?: Date
  }
  mayReadMail?: boolean
  disabled?: boolean
}

/** Time `minutes` before now. A negative number gives a time after now. */
export function minutesAgo(minutes: number): Date {
  return new Date(Date.now() - minutes * 60_000)
}

/** Inserts a person with a session, as admin-ui does after a sign-in. */
export async function signIn(
  db: Db,
  { role = 'owner', readsMail = false, session = {}, ...more }: SignInOptions = {},
): Promise<SignedIn> {
  const [person, id] = [randomUUID(), randomUUID()]
  const credential = `sess_${randomBytes(32).toString('base64url')}`
  await db
    .insertInto('adminPeople')
    .values({
      id: person,
      email: `${person}@mail.example`,
      name: `Name of ${person}`,
      role,
      mayReadMail: true,
      ...more,
    })
    .execute()
  await db
    .insertInto('adminSessions')
    .values({
      hash: hashToken(id),
      id,
      person,
      salt: 'salt',
      credentialHash: hashToken(credential),
      address: '192.0.2.1',
      browser: 'Firefox',
      expiresAt: minutesAgo(-60),
      mailUntil: readsMail ? minutesAgo(-15) : null,
      ...session,
    })
    .execute()
  return { person, session: id, credential }
}
