export {
  canStartRyuk,
  type ContainerOptions,
  Network,
  startContainer,
  type StartedNetwork,
  type StartedTestContainer,
  startRestrictedContainer,
  Wait,
} from './containers.ts'
export { type ContainerServers, startContainerServers, whyNoContainers } from './servers.ts'
