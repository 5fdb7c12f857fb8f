import { defined } from '@posthorn/contracts/defined'
import type { Hook, RawReply, ScriptCommand } from './command.ts'
import type { ScriptSession } from './session.ts'

/** Limits an IMAP hook to the first `count` commands. */
export function times(count: number, hook: Hook): Hook {
  let left = count
  return (command) => (left-- > 0 ? hook(command) : undefined)
}

/**
 * Hook that replies to an IMAP command with `lines`. A leading `{tag}` is replaced by the command's
 * tag. Without lines, the hook never replies.
 */
export function replies(...lines: string[]): Hook {
  return () => lines
}

/** Hook that rejects an IMAP command, for example with `NO [UNAVAILABLE] try later`. */
export function rejects(text: string): Hook {
  return replies(`{tag} ${text}`)
}

/**
 * Hook that executes an IMAP command and changes the lines of the reply. The last line is tagged.
 */
export function mapsLines(change: (lines: string[], command: ScriptCommand) => string[]): Hook {
  return async (command) => change(await command.defaultReply(), command)
}

/** Hook that changes every line of an IMAP reply that matches the pattern. */
export function replaces(pattern: RegExp, by: string): Hook {
  return mapsLines((lines) => lines.map((line) => line.replace(pattern, by)))
}

/** Hook that removes the lines of an IMAP reply that match the pattern. */
export function omits(pattern: RegExp): Hook {
  return mapsLines((lines) => lines.filter((line) => !pattern.test(line)))
}

/** Hook that adds lines to an IMAP reply before its tagged line. */
export function adds(...extra: string[]): Hook {
  return mapsLines((lines) => [...lines.slice(0, -1), ...extra, ...lines.slice(-1)])
}

/** Hook that sends the first `bytes` bytes of an IMAP reply, then ends the connection. */
export function truncatesAfter(bytes: number, then: RawReply['then'] = 'reset'): Hook {
  return async (command) => ({
    raw: `${(await command.defaultReply()).join('\r\n')}\r\n`.slice(0, bytes),
    then,
  })
}

/**
 * Hook that replies to an IMAP command with unchanged bytes, then ends the connection if requested.
 */
export function sendsRaw(raw: string, then?: RawReply['then']): Hook {
  return () => defined({ raw, then })
}

/** Hook that leaves out a message from FETCH replies. */
export function hides(uid: number): Hook {
  return omits(fetchLineOf(uid))
}

/** Hook that rejects a whole FETCH command if the set of the command contains the message. */
export function failsOn(uid: number, text = 'NO Server error'): Hook {
  return async (command) => {
    const lines = await command.defaultReply()
    return lines.some((line) => fetchLineOf(uid).test(line)) ? [`{tag} ${text}`] : lines
  }
}

function fetchLineOf(uid: number): RegExp {
  return new RegExp(`^\\* \\d+ FETCH \\(.*\\bUID ${uid}\\b`, 's')
}

/** Hook that repeats every UID in SEARCH replies. */
export function repeatsUids(): Hook {
  return mapsLines((lines) =>
    lines.map((line) => (line.startsWith('* SEARCH') ? line.replace(/ (\d+)/g, ' $1 $1') : line)),
  )
}

/** Hook that limits the number of authenticated IMAP connections. */
export function limitsConnections(
  count: number,
  text = 'NO [ALERT] Too many simultaneous connections. (Failure)',
): Hook {
  const inside = new Set<ScriptSession>()
  return async (command) => {
    for (const session of inside) if (session.ended) inside.delete(session)
    if (inside.size >= count) return [`{tag} ${text}`]
    const lines = await command.defaultReply()
    if (lines.at(-1)?.startsWith(`${command.tag} OK`)) inside.add(command.session)
    return lines
  }
}

/**
 * Hook that accepts the login and rejects all other commands, as Exchange does for a moved,
 * disabled or foreign mailbox.
 */
export function notConnected(): Hook {
  return ({ name }) =>
    ['CAPABILITY', 'LOGIN', 'AUTHENTICATE', 'ID', 'ENABLE', 'LOGOUT'].includes(name)
      ? undefined
      : ['{tag} BAD User is authenticated but not connected.']
}
