import { type CommandHandler, on } from '@posthorn/bus'
import { searchMessages } from '@posthorn/contracts'
import { countUids } from '../index/ranges.ts'
import { addCategories } from '../messages/categories.ts'
import { messageEntry } from '../messages/entry.ts'
import { buildPage, requestedPage, pagePosition, pageUids } from '../messages/page.ts'
import { toSearchTerms } from '../messages/search-terms.ts'
import { assertConnected, type ReadDeps, getSession, withMailSession } from './account.ts'
import { getMailbox, selectIndexed } from './mailbox.ts'

/** One page of what a search finds now, newest first. However many it finds, only the page is fetched and answered. */
export function onSearchMessages(deps: ReadDeps): CommandHandler {
  return on(searchMessages, async ({ account, path, search, ...wish }, { signal }) => {
    const session = getSession(deps, account)
    const { pageSize } = wish
    const page = requestedPage(wish)
    const terms = toSearchTerms(search)
    assertConnected(session)
    const sought = { key: path, find: () => getMailbox(deps.db, account, path) }
    const answer = await deps.mailboxes.use(session, sought, (row) =>
      withMailSession(session, { signal, mailbox: row.path }, async (mail) => {
        await selectIndexed(mail, row, { session })
        const found = await mail.search(terms)
        const place = pagePosition(countUids(found), { page, pageSize })
        const fetched = await Array.fromAsync(mail.fetchMessages(pageUids(found, place)))
        const entries = fetched.reverse().map((message) => messageEntry(message, row))
        return buildPage(place, await addCategories(mail, entries, await deps.settings.get()))
      }),
    )
    const messages = await deps.bounces.addTo(deps.db, { session, account }, answer.messages)
    return { ...answer, messages }
  })
}
