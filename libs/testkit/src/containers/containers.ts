import { createWriteStream } from 'node:fs'
import { join } from 'node:path'
import {
  GenericContainer,
  getContainerRuntimeClient,
  getReaper,
  Network,
  type StartedNetwork,
  type StartedTestContainer,
  Wait,
  type WaitStrategy,
} from 'testcontainers'

export { Network, type StartedNetwork, type StartedTestContainer, Wait }

const startupTimeoutMs = 120_000

export interface ContainerOptions {
  image: string
  /** Name of the Docker container in the Docker network, and of its log file. */
  name: string
  network: StartedNetwork
  /** Directory of the Docker container's log file. */
  logs: string
  command: string[]
  env?: Readonly<Record<string, string>>
  user?: string
  /** Ports of the Docker container that are mapped to free ports of this machine. */
  ports?: readonly number[]
  wait: WaitStrategy
}

/** Container whose name can be resolved only in its own Docker network. */
class NamedContainer extends GenericContainer {
  constructor({ image, name, network, logs, ...options }: ContainerOptions) {
    super(image)
    this.withNetwork(network)
      // The method `withNetworkAliases` of Testcontainers is not used, because it would also
      // connect the Docker container to the default network.
      .withCommand(options.command)
      .withEnvironment(options.env ?? {})
      .withExposedPorts(...(options.ports ?? []))
      .withWaitStrategy(options.wait)
      .withStartupTimeout(startupTimeoutMs)
      .withLogConsumer((stream) => stream.pipe(createWriteStream(join(logs, `${name}.log`))))
    if (options.user !== undefined) this.withUser(options.user)
    this.createOpts.NetworkingConfig = {
      EndpointsConfig: { [network.getName()]: { Aliases: [name] } },
    }
  }
}

/**
 * Container with the security restrictions of the Kubernetes manifests. The image sets its numeric
 * user.
 */
class RestrictedContainer extends NamedContainer {
  constructor(options: ContainerOptions, memoryBytes: number | undefined) {
    super(options)
    this.withDroppedCapabilities('ALL').withSecurityOpt('no-new-privileges:true')
    this.hostConfig.ReadonlyRootfs = true
    if (memoryBytes === undefined) return
    this.hostConfig.Memory = memoryBytes
    this.hostConfig.MemorySwap = memoryBytes // no swap for the container
  }
}

/** Starts a Docker container. Resolves when its wait strategy succeeds. */
export function startContainer(options: ContainerOptions): Promise<StartedTestContainer> {
  return new NamedContainer(options).start()
}

/**
 * Starts a Docker container with a read-only root file system, without capabilities and new
 * privileges, and with a memory limit. Resolves when its wait strategy succeeds.
 */
export function startRestrictedContainer(
  options: ContainerOptions,
  memoryBytes: number | undefined,
): Promise<StartedTestContainer> {
  return new RestrictedContainer(options, memoryBytes).start()
}

/**
 * True if the container engine has or can pull the image of Ryuk, which removes containers of
 * killed test runs.
 */
export async function canStartRyuk(): Promise<boolean> {
  return getContainerRuntimeClient()
    .then(getReaper)
    .then(
      () => true,
      () => false,
    )
}
