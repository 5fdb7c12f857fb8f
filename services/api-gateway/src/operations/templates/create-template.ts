import { randomBytes } from 'node:crypto'
import { operations } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { Renderer } from '@posthorn/templates'
import { accountNotFound } from '../../store/accounts.ts'
import { foreignKeyViolation, sqlState } from '../../store/database-errors.ts'
import { insertTemplate } from '../../store/templates.ts'
import { handle } from '../../http/route.ts'
import { checkContent } from './check-content.ts'

/** Stores a template under an id of its own. */
export function onCreateTemplate({ db, renderer }: { db: Db; renderer: Renderer }) {
  return handle(operations.createTemplate, async ({ body, caller }) => {
    const { name, description = null, format = 'html', content } = body
    const account = caller.token?.account ?? body.account
    await checkContent(renderer, content, format)
    const id = randomBytes(16).toString('base64url')
    try {
      const columns = { id, account, name, description, format }
      await insertTemplate(db, { ...columns, content: JSON.stringify(content) })
    } catch (error) {
      throw sqlState(error) === foreignKeyViolation ? accountNotFound() : error
    }
    return { created: true, account, id }
  })
}
