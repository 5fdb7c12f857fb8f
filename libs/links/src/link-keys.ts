/** The key that links are signed with. It never changes, so links work for as long as the instance lives. */
export interface LinkKeys {
  /** Rejects while it cannot be had. */
  current(): Promise<Buffer>
}

/** Asks for the key until it is had once, and keeps it. Callers that come while it is asked for share the answer. */
export function cacheLinkKey(ask: () => Promise<{ linkSecret: string }>): LinkKeys {
  let asking: Promise<Buffer> | undefined
  return {
    current() {
      if (asking) return asking
      const answer = ask().then(({ linkSecret }) => Buffer.from(linkSecret, 'hex'))
      asking = answer
      answer.catch(() => (asking = undefined))
      return answer
    },
  }
}
