const keepMs = 600_000
const keepAnswers = 10_000
const keepBytes = 16 * 1024 * 1024
/** Bigger answers are not kept: they come from reading, and reading twice changes nothing. */
const keepAnswerBytes = 64 * 1024

export interface Answer {
  content: Buffer
  /** What the metrics call it. */
  result: string
  /** Whether a repeat of the request may be answered with it: done, or refused for good. */
  final: boolean
}

/** The answers of the last ten minutes by request, so that a request that comes again is not carried out again. */
export class Answers {
  readonly #kept = new Map<string, { answer: Answer; until: number }>()
  readonly #underway = new Map<string, Promise<Answer>>()
  #bytes = 0

  /** The answer to the request: the one there is, the one being worked on, or else what `work` makes. `work` never rejects. */
  async once(request: string, work: () => Promise<Answer>): Promise<Answer> {
    this.#forgetOld()
    const kept = this.#kept.get(request)
    if (kept) return kept.answer
    const underway = this.#underway.get(request)
    if (underway) return underway
    const working = work()
    this.#underway.set(request, working)
    try {
      const answer = await working
      if (answer.final && answer.content.length <= keepAnswerBytes) this.#keep(request, answer)
      return answer
    } finally {
      this.#underway.delete(request)
    }
  }

  #keep(request: string, answer: Answer): void {
    this.#kept.set(request, { answer, until: Date.now() + keepMs })
    this.#bytes += answer.content.length
  }

  /** A map keeps the order of insertion: the oldest come first. */
  #forgetOld(): void {
    for (const [request, { answer, until }] of this.#kept) {
      const room = this.#kept.size < keepAnswers && this.#bytes < keepBytes
      if (room && until > Date.now()) return
      this.#kept.delete(request)
      this.#bytes -= answer.content.length
    }
  }
}
