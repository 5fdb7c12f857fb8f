/** Request for a port that a local system needs. */
export interface PortRequest {
  /** Purpose of the requested port as text, for error messages. */
  use: string
  /**
   * Port number that an environment variable sets for a server of the local system. If this port is
   * occupied, the local system does not start.
   */
  wanted?: number | undefined
  /** Port that the local system used for the same purpose at its last start. */
  stored?: number | undefined
  /**
   * Lowest port number to choose if neither an environment variable nor the last start of the local
   * system determines the port. Defaults to a random port.
   */
  from?: number | undefined
  /**
   * True if clients of the local system have stored this port number, so that they could not
   * connect at another port.
   */
  isFixed: boolean
  /** Name of the environment variable that can set the port, for error messages. */
  variable?: string
}

export interface PortSource {
  /**
   * Reserves a port for a local system. Returns false if the port has a listener or is already
   * reserved.
   */
  take: (port: number) => Promise<boolean>
  /**
   * Reserves a port that has no listener: the lowest such port from `from` on, or a random port.
   */
  takeAny: (from: number | undefined) => Promise<number>
}

/**
 * Chooses all ports of a local system together, so that no two ports are equal. Ports in
 * environment variables come first, then stored ports, then free ports. A stored port that another
 * process occupies is replaced unless the port is fixed.
 *
 * @throws Error that names the port, its use and the remedy
 */
export async function choosePorts<Name extends string>(
  requests: Readonly<Record<Name, PortRequest>>,
  source: PortSource,
): Promise<Record<Name, number>> {
  const choice = new PortChoice(requests, source)
  await choice.takeWanted()
  await choice.takeStored()
  await choice.takeFree()
  return Object.fromEntries(choice.chosen) as Record<Name, number>
}

/** Choice of the ports of a local system. `chosen` contains the ports that are chosen so far. */
class PortChoice {
  readonly chosen = new Map<string, number>()
  readonly #uses = new Map<number, PortRequest>()
  readonly #requests: [name: string, request: PortRequest][]
  readonly #source: PortSource

  constructor(requests: Readonly<Record<string, PortRequest>>, source: PortSource) {
    this.#requests = Object.entries(requests)
    this.#source = source
  }

  async takeWanted(): Promise<void> {
    for (const [name, request] of this.#requests) {
      const { wanted, use } = request
      if (wanted === undefined) continue
      const other = this.#uses.get(wanted)
      if (other) throw new Error(`${use} and ${other.use} cannot both have port ${wanted}`)
      if (!(await this.#source.take(wanted))) throw occupied(wanted, request)
      this.#take(name, request, wanted)
    }
  }

  async takeStored(): Promise<void> {
    for (const [name, request] of this.#requests) {
      const { stored } = request
      if (stored === undefined || this.chosen.has(name) || this.#uses.has(stored)) continue
      if (await this.#source.take(stored)) this.#take(name, request, stored)
      else if (request.isFixed) throw occupied(stored, request)
    }
  }

  async takeFree(): Promise<void> {
    const stored = new Set(this.#requests.map(([, request]) => request.stored))
    for (const [name, request] of this.#requests) {
      let { from } = request
      while (!this.chosen.has(name)) {
        const port = await this.#source.takeAny(from)
        if (from !== undefined) from = port + 1
        if (!this.#uses.has(port) && !stored.has(port)) this.#take(name, request, port)
      }
    }
  }

  #take(name: string, request: PortRequest, port: number): void {
    this.chosen.set(name, port)
    this.#uses.set(port, request)
  }
}

function occupied(port: number, { use, variable }: PortRequest): Error {
  const remedy = variable === undefined ? '' : `, or set ${variable} to another port`
  return new Error(`another process listens on port ${port} of ${use}: stop it${remedy}`)
}
