import { type CommandHandler, on } from '@posthorn/bus'
import { listMessages } from '@posthorn/contracts'
import { addCategories } from '../messages/categories.ts'
import { messageEntry } from '../messages/entry.ts'
import { buildPage, requestedPage, pagePosition, sequenceNumbers } from '../messages/page.ts'
import { assertConnected, type ReadDeps, getSession, withMailSession } from './account.ts'
import { getMailbox, selectIndexed } from './mailbox.ts'

/** One page of a mailbox as it is on the server now, newest first. */
export function onListMessages(deps: ReadDeps): CommandHandler {
  return on(listMessages, async ({ account, path, ...wish }, { signal }) => {
    const session = getSession(deps, account)
    const { pageSize } = wish
    const page = requestedPage(wish)
    assertConnected(session)
    const sought = { key: path, find: () => getMailbox(deps.db, account, path) }
    const found = await deps.mailboxes.use(session, sought, (row) =>
      withMailSession(session, { signal, mailbox: row.path }, async (mail) => {
        const { messages } = await selectIndexed(mail, row, { session })
        const place = pagePosition(messages, { page, pageSize })
        const places = sequenceNumbers(place)
        const fetched = places ? await mail.fetchPlaces(...places) : []
        const entries = fetched.reverse().map((message) => messageEntry(message, row))
        return buildPage(place, await addCategories(mail, entries, await deps.settings.get()))
      }),
    )
    const messages = await deps.bounces.addTo(deps.db, { session, account }, found.messages)
    return { ...found, messages }
  })
}
