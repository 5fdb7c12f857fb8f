import { operations, type TemplateUpdate } from '@posthorn/contracts'
import type { Db } from '@posthorn/db'
import type { Renderer } from '@posthorn/templates'
import { assertAccount } from '../../access/admit.ts'
import {
  getTemplate,
  type TemplateColumns,
  templateNotFound,
  updateTemplate,
} from '../../store/templates.ts'
import { handle } from '../../http/route.ts'
import { checkContent } from './check-content.ts'

/** Changes what is given of a template. Messages that are queued already keep the texts they were made of. */
export function onUpdateTemplate({ db, renderer }: { db: Db; renderer: Renderer }) {
  return handle(operations.updateTemplate, async ({ params: { template: id }, body, caller }) => {
    const stored = await getTemplate(db, id)
    if (!stored) throw templateNotFound()
    assertAccount(caller.token, stored.account)
    const { content, format = stored.format } = body
    if (content) await checkContent(renderer, content, format)
    if (!(await updateTemplate(db, id, columnsOf(body)))) throw templateNotFound()
    return { updated: true, account: stored.account, id }
  })
}

function columnsOf({ content, ...columns }: TemplateUpdate): TemplateColumns {
  return content === undefined ? columns : { ...columns, content: JSON.stringify(content) }
}
