/** `npm run generate`: writes every file that is generated from the program's tables; with `--check`, it compares them instead. */
import { bringUpToDate } from "./files.js";

const isCheck = process.argv.includes("--check");
const isCurrent = await bringUpToDate(".", isCheck, (text) => console.error(text));
if (isCheck && !isCurrent) process.exitCode = 1;
