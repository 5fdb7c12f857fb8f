import { type MailboxOptions, ScriptMailbox } from './mailbox.ts'

/** A command that is answered with NO or BAD; the message is what stands behind the tag. */
export class ImapRejection extends Error {
  override name = 'ImapRejection'
}

/** All mailboxes of the server; every user sees the same. */
export class MailboxStore {
  readonly delimiter: string
  readonly #mailboxes = new Map<string, ScriptMailbox>()
  readonly #changed: (mailbox: ScriptMailbox) => void
  #created = 0

  constructor(delimiter: string, changed: (mailbox: ScriptMailbox) => void) {
    this.delimiter = delimiter
    this.#changed = changed
  }

  get all(): ScriptMailbox[] {
    return [...this.#mailboxes.values()]
  }

  find(path: string): ScriptMailbox | undefined {
    return this.#mailboxes.get(/^inbox$/i.test(path) ? 'INBOX' : path)
  }

  /** @throws Refusal as a server would. */
  get(path: string, code = 'NONEXISTENT'): ScriptMailbox {
    const found = this.find(path)
    if (!found) throw new ImapRejection(`NO [${code}] Mailbox doesn't exist: ${path}`)
    return found
  }

  create(path: string, options: MailboxOptions = {}): ScriptMailbox {
    if (this.find(path)) throw new ImapRejection('NO [ALREADYEXISTS] Mailbox already exists')
    // One that is made anew under an old name gets a UIDVALIDITY of its own.
    const uidValidity = options.uidValidity ?? 1_000 + ++this.#created
    const mailbox = new ScriptMailbox(path, { ...options, uidValidity }, () =>
      this.#changed(mailbox),
    )
    this.#mailboxes.set(path, mailbox)
    return mailbox
  }

  delete(path: string): ScriptMailbox {
    const mailbox = this.get(path)
    if (mailbox.path === 'INBOX') throw new ImapRejection('NO [CANNOT] INBOX cannot be deleted')
    this.#mailboxes.delete(mailbox.path)
    return mailbox
  }

  /** Those below it get another name as well. RFC 9051 §6.3.6: INBOX stays, and only its messages move. */
  rename(path: string, newPath: string): void {
    const mailbox = this.get(path)
    if (mailbox.path === 'INBOX') {
      const target = this.create(newPath)
      for (const { rfc822, flags, internalDate } of mailbox.messages)
        target.append(Buffer.from(rfc822, 'latin1'), { flags: [...flags], date: internalDate })
      return mailbox.expunge(...mailbox.messages.map(({ uid }) => uid))
    }
    if (this.find(newPath))
      throw new ImapRejection('NO [ALREADYEXISTS] Target mailbox already exists')
    for (const each of this.all) {
      if (each !== mailbox && !each.path.startsWith(`${path}${this.delimiter}`)) continue
      this.#mailboxes.delete(each.path)
      each.path = newPath + each.path.slice(path.length)
      this.#mailboxes.set(each.path, each)
    }
  }
}
