import type { Login } from '../access.ts'
import type { Client } from '../client.ts'
import type { Token } from '../tokens.ts'

/** What a command before the login is given. */
export interface Request {
  client: Client
  tag: string
  args: readonly Token[]
  /** STARTTLS can be had and is not yet. */
  canStartTls: boolean
}

/** What follows from a command that has been answered, or, for `log-in` and `start-tls`, is to be. */
export type Next =
  | { do: 'go-on' }
  /** It was no command: too many of these end the connection. */
  | { do: 'count' }
  | { do: 'close' }
  | { do: 'start-tls' }
  | { do: 'log-in'; login: Login }

export type Answer = (request: Request) => Next | Promise<Next>

export const goOn: Next = { do: 'go-on' }

export function bad({ client, tag }: Pick<Request, 'client' | 'tag'>, text: string): Next {
  client.write(`${tag} BAD ${text}`)
  return { do: 'count' }
}

/** The words of a command that takes nothing but words, or undefined. */
export function wordsOf(args: readonly Token[]): string[] | undefined {
  const words = args.flatMap((token) => (token.kind === 'word' ? [token.text] : []))
  return words.length === args.length ? words : undefined
}
