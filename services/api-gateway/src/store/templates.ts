import type { Db, Templates } from '@posthorn/db'
import { AppError } from '@posthorn/errors'
import { type Insertable, sql, type Updateable } from 'kysely'
import { orAccountNotFound } from './accounts.ts'

export function templateNotFound(): AppError {
  return new AppError('not-found', 'The template was not found', { code: 'NotFound' })
}

/** Finds the columns of a template that sending needs. `account` is null for a shared template. */
export function findTemplateContent(db: Db, id: string) {
  return db
    .selectFrom('templates')
    .select(['id', 'account', 'format', 'content'])
    .where('id', '=', id)
    .executeTakeFirst()
}

/** @throws AppError `not-found` */
export function getTemplate(db: Db, id: string) {
  return db
    .selectFrom('templates')
    .select(['id', 'account', 'name', 'description', 'format'])
    .select(['content', 'createdAt', 'updatedAt'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow(templateNotFound)
}
export type TemplateRow = Awaited<ReturnType<typeof getTemplate>>

export interface TemplateFilter {
  /** Null selects the shared templates. */
  account: string | null
  page: number
  pageSize: number
}

/** One page of the account's own templates, or of the shared ones, newest first. */
export async function listTemplates(db: Db, { account, page, pageSize }: TemplateFilter) {
  const matching = db
    .selectFrom('templates')
    .where('account', account === null ? 'is' : '=', account)
  const { total } = await matching
    .select(sql<number>`count(*)::int`.as('total'))
    .executeTakeFirstOrThrow()
  const rows = await matching
    .select(['id', 'name', 'description', 'format', 'createdAt', 'updatedAt'])
    .orderBy('createdAt', 'desc')
    .orderBy('id')
    .limit(pageSize)
    .offset(page * pageSize)
    .execute()
  return { total, rows }
}

/** @throws AppError `not-found` if the account is missing */
export async function insertTemplate(db: Db, template: Insertable<Templates>): Promise<void> {
  await orAccountNotFound(db.insertInto('templates').values(template).execute())
}

export type TemplateColumns = Pick<
  Updateable<Templates>,
  'name' | 'description' | 'format' | 'content'
>

/** Changes a template. False if it is missing. */
export async function updateTemplate(
  db: Db,
  id: string,
  columns: TemplateColumns,
): Promise<boolean> {
  const { numUpdatedRows } = await db
    .updateTable('templates')
    .set({ ...columns, updatedAt: sql<Date>`now()` })
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numUpdatedRows > 0n
}

export async function deleteTemplate(db: Db, id: string): Promise<boolean> {
  const { numDeletedRows } = await db
    .deleteFrom('templates')
    .where('id', '=', id)
    .executeTakeFirstOrThrow()
  return numDeletedRows > 0n
}

/** Deletes the account's own templates. */
export async function deleteTemplatesOf(db: Db, account: string): Promise<void> {
  await db.deleteFrom('templates').where('account', '=', account).execute()
}
