/** IP addresses that are not public: those of this machine, of its network, and of special purposes (RFC 6890). */
import { BlockList, isIPv6 } from "node:net";
import { NamedError } from "./named-error.js";

/** `::/96` and `2002::/16` stand for addresses of IPv4. */
const RANGES = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3"],
  ...["::/96", "64:ff9b:1::/48", "2002::/16", "fc00::/7", "fe80::/9", "ff00::/8"],
];
/** It also has those of IPv4 that are mapped to IPv6. */
export const NOT_PUBLIC = new BlockList();
for (const [first, bits] of RANGES.map((range) => range.split("/") as [string, string]))
  NOT_PUBLIC.addSubnet(first, Number(bits), isIPv6(first) ? "ipv6" : "ipv4");

/** A request that was not sent, since its address is not public. */
export class NotPublicError extends NamedError {
  constructor(address: string) {
    super(`${address} is not a public address`);
  }
}
