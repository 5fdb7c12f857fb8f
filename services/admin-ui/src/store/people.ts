import type { AdminRole } from '@posthorn/contracts/admin/roles'
import { type Db, sqlState, type Tx } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { sql } from 'kysely'

/** Person as stored, without the sealed seed of one-time codes, which only auth-bridge reads. */
export interface StoredPerson {
  readonly id: string
  readonly email: string
  readonly name: string
  readonly role: AdminRole
  readonly mayReadMail: boolean
  readonly disabled: boolean
  /** Password hash of the person as a PHC string. Null: the person has no password. */
  readonly password: string | null
  readonly totpConfirmed: boolean
  readonly recoveryCodes: number
  readonly passkeys: number
  readonly oidc: boolean
  readonly createdAt: Date
  readonly createdBy: string | null
  readonly signedInAt: Date | null
}

/** Columns of a new person. */
export interface NewPerson {
  id: string
  email: string
  name: string
  role: AdminRole
  mayReadMail: boolean
  password: string | null
  createdBy: string | null
  oidcSubject?: string | null
}

/** Changed columns of a person. Absent columns stay unchanged. */
export interface PersonChanges {
  name?: string
  role?: AdminRole
  mayReadMail?: boolean
  disabled?: boolean
}

/** SQLSTATE of a unique violation, which means that another person has the email address. */
const uniqueViolation = '23505'

function people(db: Db) {
  return db
    .selectFrom('adminPeople')
    .select(['id', 'email', 'name', 'role', 'mayReadMail', 'disabled', 'password'])
    .select(['totpConfirmed', 'createdAt', 'createdBy', 'signedInAt'])
    .select([
      sql<number>`cardinality(recovery_codes)`.as('recoveryCodes'),
      sql<boolean>`oidc_subject is not null`.as('oidc'),
      sql<number>`(select count(*)::integer from admin_passkeys
        where admin_passkeys.person = admin_people.id)`.as('passkeys'),
    ])
}

export function findPerson(db: Db, id: string): Promise<StoredPerson | undefined> {
  return people(db).where('id', '=', id).executeTakeFirst()
}

/** Finds a person by email address, which is compared in lower case. */
export function findPersonByEmail(db: Db, email: string): Promise<StoredPerson | undefined> {
  return people(db).where('email', '=', email.toLowerCase()).executeTakeFirst()
}

/** Lists all people, sorted by email address. */
export function listPeople(db: Db): Promise<StoredPerson[]> {
  return people(db).orderBy('email').execute()
}

/**
 * Locks the table of people, so that concurrent changes of people wait for each other until the
 * transaction ends. The last enabled owner therefore stays.
 */
export async function lockPeople(tx: Tx): Promise<void> {
  await sql`select pg_advisory_xact_lock(hashtext('posthorn:admin-people'))`.execute(tx)
}

/** True if an enabled owner exists other than the person with the id `except`. */
export async function hasOwner(db: Db, except = ''): Promise<boolean> {
  const row = await db
    .selectFrom('adminPeople')
    .select('id')
    .where('role', '=', 'owner')
    .where('disabled', '=', false)
    .where('id', '!=', except)
    .limit(1)
    .executeTakeFirst()
  return row !== undefined
}

/** True if a person is an enabled owner. */
export async function isOwner(db: Db, id: string): Promise<boolean> {
  const person = await findPerson(db, id)
  return person?.role === 'owner' && !person.disabled
}

/**
 * Inserts a person.
 *
 * @throws AppError `invalid` if a person with the email address exists
 */
export async function insertPerson(tx: Tx, person: NewPerson): Promise<void> {
  const { email, password } = person
  const changedAt = password === null ? null : sql<Date>`now()`
  try {
    await tx
      .insertInto('adminPeople')
      .values({ ...person, email: email.toLowerCase(), passwordChangedAt: changedAt })
      .execute()
  } catch (error) {
    if (sqlState(error) === uniqueViolation) throw emailTaken()
    throw error
  }
}

/** Error for an email address that another person has. */
export function emailTaken(): AppError {
  const message = 'A person with this email address exists. Change or delete that person instead'
  return new AppError('invalid', message, {
    extras: { fields: [{ message, key: 'email', path: 'email' }] },
  })
}

/** Changes a person. False if the person does not exist. */
export async function updatePerson(tx: Tx, id: string, changes: PersonChanges): Promise<boolean> {
  if (Object.keys(changes).length === 0) return (await findPerson(tx, id)) !== undefined
  const { numUpdatedRows } = await tx
    .updateTable('adminPeople')
    .set(changes)
    .where('id', '=', id)
    .executeTakeFirst()
  return numUpdatedRows > 0n
}

/** Deletes a person with sessions, passkeys and unfinished sign-ins. */
export async function deletePerson(tx: Tx, id: string): Promise<void> {
  await tx.deleteFrom('adminPeople').where('id', '=', id).execute()
}
