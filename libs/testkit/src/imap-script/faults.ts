import type { Hook, ScriptCommand } from './command.ts'
import type { ScriptSession } from './session.ts'

/** Answers the first `count` times; then the server does. */
export function times(count: number, hook: Hook): Hook {
  let left = count
  return (command) => (left-- > 0 ? hook(command) : undefined)
}

/** Says these lines instead; `{tag}` at the beginning of one stands for the command's tag. None: never says anything. */
export function replies(...lines: string[]): Hook {
  return () => lines
}

/** A refusal, such as `NO [UNAVAILABLE] try later` or `BAD Request is throttled. Suggested Backoff Time: 20 milliseconds`. */
export function rejects(text: string): Hook {
  return replies(`{tag} ${text}`)
}

/** Does what is asked, and changes the lines of the answer; the last one is the tagged one. */
export function mapsLines(change: (lines: string[], command: ScriptCommand) => string[]): Hook {
  return async (command) => change(await command.defaultReply(), command)
}

/** Changes every line that matches. */
export function replaces(pattern: RegExp, by: string): Hook {
  return mapsLines((lines) => lines.map((line) => line.replace(pattern, by)))
}

/** Lines that match are not said. */
export function omits(pattern: RegExp): Hook {
  return mapsLines((lines) => lines.filter((line) => !pattern.test(line)))
}

/** Says these lines as well, before the tagged one. */
export function adds(...extra: string[]): Hook {
  return mapsLines((lines) => [...lines.slice(0, -1), ...extra, ...lines.slice(-1)])
}

/** Begins the answer and breaks off after so many bytes of it. */
export function truncatesAfter(bytes: number, then: 'close' | 'reset' | 'freeze' = 'reset'): Hook {
  return async (command) => ({
    raw: `${(await command.defaultReply()).join('\r\n')}\r\n`.slice(0, bytes),
    then,
  })
}

/** Sends bytes as they are, and does that to the connection. */
export function sendsRaw(raw: string, then?: 'close' | 'reset' | 'freeze'): Hook {
  return () => (then === undefined ? { raw } : { raw, then })
}

/** FETCH leaves a message out, as if it were not there. */
export function hides(uid: number): Hook {
  return omits(new RegExp(`^\\* \\d+ FETCH \\(.*\\bUID ${uid}\\b`, 's'))
}

/** FETCH fails as a whole as soon as one message is in its set. */
export function failsOn(uid: number, text = 'NO Server error'): Hook {
  return async (command) => {
    const lines = await command.defaultReply()
    const asked = lines.some((line) =>
      new RegExp(`^\\* \\d+ FETCH \\(.*\\bUID ${uid}\\b`, 's').test(line),
    )
    return asked ? [`{tag} ${text}`] : lines
  }
}

/** SEARCH names every message twice. */
export function repeatsUids(): Hook {
  return mapsLines((lines) =>
    lines.map((line) => (line.startsWith('* SEARCH') ? line.replace(/ (\d+)/g, ' $1 $1') : line)),
  )
}

/** No more than so many connections at a time log in. */
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

/** Lets in, and then knows nobody: Exchange, when a mailbox is moved, disabled or somebody else's. */
export function notConnected(): Hook {
  return ({ name }) =>
    ['CAPABILITY', 'LOGIN', 'AUTHENTICATE', 'ID', 'ENABLE', 'LOGOUT'].includes(name)
      ? undefined
      : ['{tag} BAD User is authenticated but not connected.']
}
