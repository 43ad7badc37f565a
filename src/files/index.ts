export { damagedFile } from './damaged-file.ts'
export { type FileBodiesDeps, withFileBodies } from './file-bodies.ts'
export { checkFileName } from './file-name.ts'
export { type FileRecord, fileUrl, readFileRecord, writeFileRecord } from './file-record.ts'
export { FileScrub, type FileScrubDeps } from './file-scrub.ts'
export {
  type ChooseRange,
  type FilePath,
  FileService,
  type FileServiceDeps,
  type OpenedFile,
  type PutFile,
  type Upload,
} from './file-service.ts'
export { FileSweep, type FileSweepDeps } from './file-sweep.ts'
