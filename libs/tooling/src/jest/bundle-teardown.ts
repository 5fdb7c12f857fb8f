// oxlint-disable-next-line import/no-default-export -- Jest calls the default export
export { deleteBundle as default } from './bundle-setup.ts'
