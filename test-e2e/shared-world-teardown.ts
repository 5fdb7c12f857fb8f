// oxlint-disable-next-line import/no-default-export -- Jest calls the default export
export { stopSharedWorlds as default } from './shared-world-setup.ts'
