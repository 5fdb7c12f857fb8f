import { type Db, type PageRequest, readPage, type Templates } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql, type Updateable } from 'kysely'
import { orAccountNotFound } from '../accounts/accounts.ts'

export function templateNotFound(): AppError {
  return new AppError('not-found', 'The template was not found', { code: 'NotFound' })
}

/** Finds the owner and content of a message template. `account` is null for a shared template. */
export function findTemplateContent(db: Db, id: string) {
  return db
    .selectFrom('templates')
    .select(['id', 'account', 'format', 'content'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/**
 * Finds the message template that a submission of the account names. Compares the id first, then
 * the names of the account's templates, then the names of shared templates. If several templates
 * have the name, the oldest is used, so that a new template with an existing name changes no
 * message.
 */
export function findNamedTemplate(db: Db, reference: string, account: string) {
  return db
    .selectFrom('templates')
    .select(['format', 'content'])
    .where((where) => where.or([where('account', '=', account), where('account', 'is', null)]))
    .where((where) => where.or([where('id', '=', reference), where('name', '=', reference)]))
    .orderBy(sql`id = ${reference}`, 'desc')
    .orderBy(sql`account is null`)
    .orderBy('createdAt')
    .orderBy('id')
    .limit(1)
    .executeTakeFirst()
}

/** Gets a message template with its content. @throws AppError `not-found` */
export function getTemplate(db: Db, id: string) {
  return db
    .selectFrom('templates')
    .select(['id', 'account', 'name', 'description', 'format'])
    .select(['content', 'createdAt', 'updatedAt'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow(templateNotFound)
}
export type TemplateRow = Awaited<ReturnType<typeof getTemplate>>

export interface TemplateFilter extends PageRequest {
  /** Account of the message templates; null selects the shared templates. */
  account: string | null
}

/** One page of an account's message templates or of the shared templates, newest first. */
export function listTemplates(db: Db, { account, ...page }: TemplateFilter) {
  const templates = db
    .selectFrom('templates')
    .where('account', account === null ? 'is' : '=', account)
    .select(['id', 'name', 'description', 'format', 'createdAt', 'updatedAt'])
    .orderBy('createdAt', 'desc')
    .orderBy('id')
  return readPage(templates, page)
}

/** Stores a message template. @throws AppError `not-found` if the account is missing */
export async function insertTemplate(db: Db, template: Insertable<Templates>): Promise<boolean> {
  const insert = db.insertInto('templates').values(template)
  const result = await orAccountNotFound(
    insert.onConflict((id) => id.column('id').doNothing()).executeTakeFirst(),
  )
  return result.numInsertedOrUpdatedRows === 1n
}

export type TemplateColumns = Pick<
  Updateable<Templates>,
  'name' | 'description' | 'format' | 'content'
>

/**
 * Changes a message template.
 *
 * @throws AppError `not-found`
 */
export async function updateTemplate(db: Db, id: string, columns: TemplateColumns): Promise<void> {
  await db
    .updateTable('templates')
    .set({ ...columns, updatedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirstOrThrow(templateNotFound)
}

/**
 * Deletes a message template.
 *
 * @throws AppError `not-found`
 */
export async function deleteTemplate(db: Db, id: string): Promise<void> {
  await db
    .deleteFrom('templates')
    .where('id', '=', id)
    .returning('id')
    .executeTakeFirstOrThrow(templateNotFound)
}

/** Deletes the message templates that belong to an account. */
export async function deleteTemplatesOf(db: Db, account: string): Promise<void> {
  await db.deleteFrom('templates').where('account', '=', account).execute()
}
