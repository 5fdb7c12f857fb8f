import { type MailboxOptions, ScriptMailbox } from './mailbox.ts'

/**
 * Rejection of an IMAP command with NO or BAD. The error message is the text of the reply after the
 * tag.
 */
export class ImapRejection extends Error {
  override name = 'ImapRejection'

  /**
   * Replaces line ends and braces in the text of an IMAP reply: a value from the client must not
   * end the line or start a literal.
   */
  constructor(text: string) {
    super(text.replaceAll(/[\r\n{}]/g, '?'))
  }
}

/** Mailboxes of the IMAP test server, shared by all users. */
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

  /** @throws ImapRejection if the mailbox does not exist. */
  get(path: string, code = 'NONEXISTENT'): ScriptMailbox {
    const mailbox = this.find(path)
    if (!mailbox) throw new ImapRejection(`NO [${code}] Mailbox doesn't exist: ${path}`)
    return mailbox
  }

  /** @throws ImapRejection if the mailbox does not exist or is `\\Noselect`. */
  getSelectable(path: string): ScriptMailbox {
    const mailbox = this.get(path)
    if (mailbox.attributes.has('\\Noselect'))
      throw new ImapRejection('NO [NONEXISTENT] Not selectable')
    return mailbox
  }

  create(path: string, options: MailboxOptions = {}): ScriptMailbox {
    if (this.find(path)) throw new ImapRejection('NO [ALREADYEXISTS] Mailbox already exists')
    // An IMAP mailbox that is created again gets a new UIDVALIDITY.
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

  /**
   * Renames a mailbox with its children. Renaming INBOX moves the messages of INBOX, and INBOX
   * itself stays (RFC 9051 §6.3.6).
   */
  rename(path: string, newPath: string): void {
    const mailbox = this.get(path)
    if (mailbox.path === 'INBOX') {
      const target = this.create(newPath)
      for (const message of mailbox.messages) message.copyTo(target)
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
