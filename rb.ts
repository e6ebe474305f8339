import { rebuildSearch } from "./src/search/open.js";
const c = process.cpuUsage(); const t = performance.now();
await rebuildSearch({ directory: "/tmp/w/big/store" });
const { user, system } = process.cpuUsage(c);
console.log("cpu", ((user + system) / 1e6).toFixed(1), "wall", ((performance.now() - t) / 1e3).toFixed(1));
