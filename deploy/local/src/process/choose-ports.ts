/** Port that a system needs. */
export interface PortRequest {
  /** Use of the port, for errors. */
  use: string
  /** Port of a variable, which is taken or rejected. */
  wanted?: number | undefined
  /** Port of the last start. */
  stored?: number | undefined
  /** True if clients know the stored port, so another one would break them. */
  isFixed: boolean
  /** Variable that sets the port, for errors. */
  variable?: string
}

export interface PortSource {
  /** True if the port has no listener. */
  isFree: (port: number) => Promise<boolean>
  /** Returns a port without a listener. */
  freePort: () => Promise<number>
}

/**
 * Chooses all ports of a system together, so that no two are equal: ports of variables, then stored
 * ones, then free ones. A stored port that another process occupies is replaced unless it is fixed.
 *
 * @throws Error that names the port, its use and the remedy
 */
export async function choosePorts<Name extends string>(
  requests: Readonly<Record<Name, PortRequest>>,
  { isFree, freePort }: PortSource,
): Promise<Record<Name, number>> {
  const chosen = new Map<Name, number>()
  const uses = new Map<number, PortRequest>()
  const take = (name: Name, port: number) => {
    chosen.set(name, port)
    uses.set(port, requests[name])
  }
  const entries = Object.entries<PortRequest>(requests) as [Name, PortRequest][]
  for (const [name, request] of entries) {
    const { wanted } = request
    if (wanted === undefined) continue
    const other = uses.get(wanted)
    if (other) throw new Error(`${request.use} and ${other.use} cannot both have port ${wanted}`)
    if (!(await isFree(wanted))) throw occupied(wanted, request)
    take(name, wanted)
  }
  for (const [name, request] of entries) {
    const { stored, isFixed } = request
    if (stored === undefined || chosen.has(name) || uses.has(stored)) continue
    if (await isFree(stored)) take(name, stored)
    else if (isFixed) throw occupied(stored, request)
  }
  const storedPorts = new Set(entries.map(([, { stored }]) => stored))
  for (const [name] of entries) {
    while (!chosen.has(name)) {
      const port = await freePort()
      if (!uses.has(port) && !storedPorts.has(port)) take(name, port)
    }
  }
  return Object.fromEntries(chosen) as Record<Name, number>
}

function occupied(port: number, { use, variable }: PortRequest): Error {
  const remedy = variable === undefined ? '' : `, or set ${variable} to another port`
  return new Error(`another process listens on port ${port} of ${use}: stop it${remedy}`)
}
