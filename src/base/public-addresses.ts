/** Public IP addresses, as opposed to those of this machine, its network and special purposes (RFC 6890). */
import { BlockList, isIPv6 } from "node:net";
import { NamedError } from "./named-error.js";

/** The others. `::/96` and `2002::/16` stand for addresses of IPv4. */
const RANGES = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16", "172.16.0.0/12"],
  ...["192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15", "224.0.0.0/3"],
  ...["::/96", "64:ff9b:1::/48", "2002::/16", "fc00::/7", "fe80::/9", "ff00::/8"],
];
const OTHERS = new BlockList();
for (const [first, bits] of RANGES.map((range) => range.split("/") as [string, string]))
  OTHERS.addSubnet(first, Number(bits), familyOf(first));

/** Whether an IP address is public. One of IPv4 may be mapped to IPv6. */
export function isPublic(address: string): boolean {
  return !OTHERS.check(address, familyOf(address));
}

function familyOf(address: string): "ipv4" | "ipv6" {
  return isIPv6(address) ? "ipv6" : "ipv4";
}

/** A request that was not sent, since its address is not public. */
export class NotPublicError extends NamedError {
  constructor(address: string) {
    super(`${address} is not a public address`);
  }
}
